/**
 * Versions of the calls and stored messages between the apps, by subject. A subject that is not named here has version 1. Raise a version with every
 * change that a process of the release before would misread or refuse. A process calls and reads its own versions only: during an upgrade, old processes
 * of an app serve old processes of the others, and new ones serve new ones.
 */
const changed: Readonly<Record<string, number>> = {
  'rpc.campaigns.fan-out-started': 2,
  'work.push.ios.prompt': 2,
  'work.push.ios.bulk': 2,
  'work.push.android.prompt': 2,
  'work.push.android.bulk': 2,
  'work.push.web.prompt': 2,
  'work.push.web.bulk': 2,
}

/** The version of a call or a stored message that this process speaks, by its subject. */
export const wireVersion = (subject: string): number => changed[subject] ?? 1
