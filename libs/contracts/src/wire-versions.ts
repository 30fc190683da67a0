/**
 * Versions of what travels between the apps: calls and stored messages, by their subject. What is not named here has version 1.
 * Raise a version with every change that a process of before would misread or refuse. A process asks and reads its own versions only:
 * while an upgrade is under way old and new processes of an app each serve those that speak as they do.
 */
const changed: Readonly<Record<string, number>> = {}

/** The version of a call or a stored message that this process speaks, by its subject. */
export const wireVersion = (subject: string): number => changed[subject] ?? 1
