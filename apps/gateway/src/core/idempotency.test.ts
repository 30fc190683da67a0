import { expect, test } from 'vitest'
import { canonicalJson, checkIdempotencyKey, fingerprintOf } from './idempotency.ts'

// spec: limits/idempotency-scope
test('the fingerprint of a request ignores the order of keys at any depth, but not the order of a list', () => {
  const one = { b: [{ y: 1, x: null }], a: 'text' }
  const other = { a: 'text', b: [{ x: null, y: 1 }] }

  expect(canonicalJson(one)).toBe('{"a":"text","b":[{"x":null,"y":1}]}')
  expect(fingerprintOf('POST', '/v1/notifications', one)).toBe(fingerprintOf('post', '/v1/notifications', other))
  expect(fingerprintOf('POST', '/p', [1, 2])).not.toBe(fingerprintOf('POST', '/p', [2, 1]))
})

// spec: limits/idempotency-scope
test('a request with another method, path or body has another fingerprint', () => {
  const prints = [
    fingerprintOf('POST', '/a', {}),
    fingerprintOf('PUT', '/a', {}),
    fingerprintOf('POST', '/b', {}),
    fingerprintOf('POST', '/a', []),
    fingerprintOf('POST', '/a', { a: 1 }),
    fingerprintOf('POST', '/a', { a: '1' }),
    fingerprintOf('POST', '/a', undefined),
  ]
  expect(new Set(prints).size).toBe(prints.length)
  expect(prints.every((print) => /^[0-9a-f]{64}$/.test(print))).toBe(true)
})

// spec: limits/idempotency-key
test('an idempotency key is 1 to 255 printable ASCII characters', () => {
  expect(checkIdempotencyKey(undefined)).toBeNull()
  expect(checkIdempotencyKey('order 17')).toBe('order 17')
  expect(checkIdempotencyKey('x'.repeat(255))).toHaveLength(255)
  for (const key of ['', 'x'.repeat(256), 'caf\u00e9', 'a\nb', '\u007f'])
    expect(() => checkIdempotencyKey(key)).toThrow('headers.idempotency-key')
})
