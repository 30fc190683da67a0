import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { equalDigests, hmacSha256, prepareHmacKey } from './hmac.ts'

test('HMAC digests are those of RFC 4231, test cases 1, 2 and 6', () => {
  const digest = (key: Buffer | string, message: string) => hmacSha256(prepareHmacKey(key), message).toString('hex')
  expect(digest(Buffer.alloc(20, 0x0b), 'Hi There')).toBe('b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7')
  expect(digest('Jefe', 'what do ya want for nothing?')).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
  expect(digest(Buffer.alloc(131, 0xaa), 'Test Using Larger Than Block-Size Key - Hash Key First')).toBe(
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  )
})

test('for random keys and messages the HMAC digest is the same as that of Node’s own HMAC', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'grapheme', maxLength: 300 }), (key, message) => {
      expect(hmacSha256(prepareHmacKey(Buffer.from(key)), message)).toEqual(createHmac('sha256', key).update(message).digest())
    }),
  )
})

test('two digests with the same bytes are equal, and two digests of different lengths are not', () => {
  expect(equalDigests(Buffer.alloc(16), Buffer.alloc(16))).toBe(true)
  expect(equalDigests(Buffer.alloc(16), Buffer.alloc(15))).toBe(false)
})
