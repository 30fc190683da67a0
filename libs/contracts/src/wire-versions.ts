/**
 * Versions of the calls and stored messages between services, by subject; 1 for any other. Raise one with every change that the previous release
 * would misread or refuse. A process calls and reads its own versions only.
 */
const changed: Readonly<Record<string, number>> = {}

/** Gives the version in which this process sends and reads a call or a stored message, by its subject. */
export const wireVersion = (subject: string): number => changed[subject] ?? 1
