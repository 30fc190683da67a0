import { randomBytes } from 'node:crypto'

/**
 * A new id: 24 lower-case hex characters, 4 bytes of Unix seconds and 8 bytes from a CSPRNG (spec: limits/ids). No counter:
 * a public key can act on an id, so it must not be guessable. Ids sort by the second they were made in.
 */
export function newId(now: Date = new Date()): string {
  const bytes = randomBytes(12)
  bytes.writeUInt32BE(Math.floor(now.getTime() / 1000), 0)
  return bytes.toString('hex')
}

const objectId = /^[0-9a-f]{24}$/

/** Whether a text has the form of an id. One that has not is simply unknown: the route answers 404, not 422. */
export const isObjectId = (text: string): boolean => objectId.test(text)
