/** Names that have a meaning only on one machine or in one network (RFC 6761, 6762, 8375). */
const localNames = /(^|\.)(localhost|local|internal|invalid|test|home\.arpa)$/

/** Whether a push service could reach the operator at this VAPID subject (RFC 8292 2.1): Apple refuses a subject on a host like localhost. */
export function isReachableSubject(subject: string): boolean {
  const host = subject.startsWith('mailto:') ? subject.slice(subject.lastIndexOf('@') + 1) : new URL(subject).hostname
  const name = host.toLowerCase()
  return name.includes('.') && !localNames.test(name) && !/^[\d.]+$/.test(name)
}
