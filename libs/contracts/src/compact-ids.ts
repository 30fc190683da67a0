/** How lists of ids travel between apps: base64 of 12 bytes an id, 16 characters where JSON has 27. */

const idCharacters = 24

/** Ids (24 hex characters each) as one text. */
export const packIds = (ids: readonly string[]): string => Buffer.from(ids.join(''), 'hex').toString('base64')

/** The ids of a text that `packIds` made, in their order. */
export function unpackIds(packed: string): string[] {
  const hex = Buffer.from(packed, 'base64').toString('hex')
  const ids: string[] = []
  for (let at = 0; at < hex.length; at += idCharacters) ids.push(hex.slice(at, at + idCharacters))
  return ids
}
