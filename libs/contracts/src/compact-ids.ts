/**
 * The ids of a batch travel between services as one text: base64 of the 12 bytes of each id. An id takes 16 characters; in a JSON list it would take
 * 27.
 */

const idCharacters = 24
const packedCharacters = 16

/** Packs ids (24 hex characters each) into one text. */
export const packIds = (ids: readonly string[]): string => Buffer.from(ids.join(''), 'hex').toString('base64')

/** Gives the ids of a text that `packIds` made, in their order. */
export function unpackIds(packed: string): string[] {
  const idAt = unpackIdAt(packed)
  return Array.from({ length: Math.ceil(packed.length / packedCharacters) }, (_, at) => idAt(at))
}

/** Makes a function that reads the nth id of a text that `packIds` made. */
export function unpackIdAt(packed: string): (at: number) => string {
  const hex = Buffer.from(packed, 'base64').toString('hex')
  return (at) => hex.slice(at * idCharacters, (at + 1) * idCharacters)
}
