/** The ends of names that mean nothing on the public internet (RFC 6761, 6762, 8375, and `internal`). */
const localNames = /(^|\.)(localhost|local|internal|invalid|test|home\.arpa)$/

/**
 * Whether the host of a VAPID subject may be on the public internet, by its form (RFC 8292 2.1). Apple refuses hosts like localhost. An IP address
 * does not count.
 */
export function isReachableSubject(subject: string): boolean {
  const host = subject.startsWith('mailto:') ? subject.slice(subject.lastIndexOf('@') + 1) : new URL(subject).hostname
  const name = host.toLowerCase()
  return name.includes('.') && !localNames.test(name) && !/^[\d.]+$/.test(name)
}
