/** The answer to a list ends after `limit` items or 512 KiB (spec: limits/list-bytes). 200 contents of 64 KiB would not fit into a NATS message. */
const maxListBytes = 512 * 1024

/** Counts how many of these items, from the first on, fit into one answer: at least one. */
export function countFitting(items: unknown[]): number {
  let bytes = 0
  const over = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item))) > maxListBytes)
  return over === -1 ? items.length : Math.max(1, over)
}
