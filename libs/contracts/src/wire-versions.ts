import { lanes, platforms } from './platform.ts'

/**
 * Versions of the calls and stored messages between services, by subject; 1 when not listed. Raise one with every change that the previous release
 * would misread. A process speaks only its own versions, so old processes talk to old ones.
 */
const changed: Readonly<Record<string, number>> = {
  'rpc.campaigns.fan-out-started': 2,
  ...Object.fromEntries(platforms.flatMap((platform) => lanes.map((lane) => [`work.push.${platform}.${lane}`, 2]))),
}

/** Gives the version in which this process sends and reads a call or a stored message, by its subject. */
export const wireVersion = (subject: string): number => changed[subject] ?? 1
