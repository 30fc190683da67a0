import { hash, timingSafeEqual } from 'node:crypto'

const blockBytes = 64

/** A prepared HMAC-SHA256 key: the key combined with the inner and with the outer pad of RFC 2104. */
export type HmacKey = { readonly inner: Buffer; readonly outer: Buffer }

/** Prepares a key. A text is read as its UTF-8 bytes. */
export function prepareHmacKey(secret: string | Buffer): HmacKey {
  const bytes = typeof secret === 'string' ? Buffer.from(secret) : secret
  const key = bytes.length > blockBytes ? hash('sha256', bytes, 'buffer') : bytes
  const inner = Buffer.alloc(blockBytes, 0x36)
  const outer = Buffer.alloc(blockBytes, 0x5c)
  for (const [place, byte] of key.entries()) {
    inner[place] = byte ^ 0x36
    outer[place] = byte ^ 0x5c
  }
  return { inner, outer }
}

/**
 * Computes an HMAC-SHA256 with two calls of `hash`, which cost a fraction of `createHmac`. The inner digest is read as a string with a character for
 * each byte, because a buffer costs three times as much.
 */
export function hmacSha256(key: HmacKey, message: string): Buffer {
  const length = Buffer.byteLength(message)
  const inside = Buffer.allocUnsafe(blockBytes + length)
  key.inner.copy(inside)
  inside.write(message, blockBytes)
  const outside = Buffer.allocUnsafe(blockBytes + 32)
  key.outer.copy(outside)
  outside.write(hash('sha256', inside, 'binary'), blockBytes, 'latin1')
  return hash('sha256', outside, 'buffer')
}

/** Says whether two digests are equal, in constant time. Digests of different lengths are not equal. */
export const equalDigests = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other)
