import { hash } from 'node:crypto'

/**
 * Every push has an identity that is computed from its msgId alone. So a push that is repeated after a lost answer replaces the first copy and is not
 * shown twice (spec: sending/push-identity).
 */

/**
 * Gives the `apns-id`, which is also the `apns-collapse-id` of an alert without a collapseId. It is a UUID made of the msgId's SHA-256, in the form
 * of version 4, which Apple's ids have.
 */
export function apnsId(msgId: string): string {
  // The hash is computed as text, because as a Buffer of 32 bytes it takes twice the time.
  const hex = hash('sha256', msgId, 'hex')
  const variant = '89ab'[parseInt(hex.charAt(16), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const shortHash = (text: string): string => hash('sha256', text, 'base64url').slice(0, 32)

/** Gives the `tag` on Android and the web for a push without a collapseId: 32 characters of base64url. */
export const pushTag = (msgId: string): string => shortHash(msgId)

/** Gives the web `Topic` (RFC 8030): the text itself when push services accept it, else the first 32 characters of its hash. */
export const webTopic = (collapseIdOrMsgId: string): string =>
  /^[A-Za-z0-9_-]{1,32}$/.test(collapseIdOrMsgId) ? collapseIdOrMsgId : shortHash(collapseIdOrMsgId)

/**
 * Gives the `apns-collapse-id`: the collapseId, or its hash when it has over 64 bytes or cannot stand in a header unchanged (not ASCII, or a space at
 * an end). Equal ids have equal hashes, so pushes still replace each other.
 */
export const apnsCollapseId = (collapseId: string): string =>
  /^[\u0021-\u007e](?:[\u0020-\u007e]{0,62}[\u0021-\u007e])?$/.test(collapseId) ? collapseId : hash('sha256', collapseId, 'base64url')
