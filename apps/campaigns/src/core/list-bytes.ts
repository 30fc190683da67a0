/**
 * One answer to a list holds at most this many bytes of items, unless its first item alone is larger (spec: limits/list-bytes): 200 items of 64 KiB
 * would not fit into a NATS message.
 */
const maxListBytes = 512 * 1024

/** Counts how many of the items, from the first on, fit into one answer. The first item counts as fitting, however large it is. */
export function countFitting(items: unknown[]): number {
  let bytes = 0
  const over = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item))) > maxListBytes)
  return over === -1 ? items.length : Math.max(1, over)
}
