import { lanes, platforms } from './platform.ts'

/**
 * Versions of the calls and stored messages between services, by subject. A subject that is not listed here has version 1. Raise a version with every
 * change that a process of the previous release would misread or refuse. A process calls and reads its own versions only: during an upgrade old
 * processes talk to old processes, and new ones to new ones.
 */
const changed: Readonly<Record<string, number>> = {
  'rpc.campaigns.fan-out-started': 2,
  ...Object.fromEntries(platforms.flatMap((platform) => lanes.map((lane) => [`work.push.${platform}.${lane}`, 2]))),
}

/** Gives the version in which this process sends and reads a call or a stored message, by its subject. */
export const wireVersion = (subject: string): number => changed[subject] ?? 1
