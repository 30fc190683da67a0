import { randomFillSync } from 'node:crypto'

/** Random bytes are drawn for 512 ids at a time: drawn for each id alone they are most of its cost (2.5 µs an id, and 0.3 this way). */
const pool = Buffer.alloc(512 * 8)
let used = pool.length

/**
 * A new id: 24 lower-case hex characters, 4 bytes of Unix seconds and 8 bytes from a CSPRNG (spec: limits/ids). No counter:
 * a public key can act on an id, so it must not be guessable. Ids sort by the second they were made in.
 */
export function newId(now: Date = new Date()): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const seconds = Math.floor(now.getTime() / 1000) >>> 0
  const id = seconds.toString(16).padStart(8, '0') + pool.toString('hex', used, used + 8)
  // The bytes of this id are erased from the pool, so that no id can be read there afterwards.
  pool.fill(0, used, used + 8)
  used += 8
  return id
}

const objectId = /^[0-9a-f]{24}$/

/** Whether a text has the form of an id. A text without it is an unknown id: the route answers 404, not 422. */
export const isObjectId = (text: string): boolean => objectId.test(text)
