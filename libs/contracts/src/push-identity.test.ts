import { describe, expect, test } from 'vitest'
import { apnsCollapseId, apnsId, pushTag, webTopic } from './push-identity.ts'

const msgId = `${'A'.repeat(139)}.${'b'.repeat(22)}`

describe('the identity of a push', () => {
  // spec: sending/push-identity
  test('the identity of a push is computed from the msgId alone', () => {
    expect(apnsId(msgId)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(apnsId(msgId)).toBe(apnsId(msgId))
    expect(apnsId(`${msgId}x`)).not.toBe(apnsId(msgId))
    expect(pushTag(msgId)).toMatch(/^[A-Za-z0-9_-]{32}$/)
  })

  test('the identity of a push as a web topic is at most 32 characters of base64url', () => {
    for (const fitting of ['cart_1', 'x'.repeat(32)]) expect(webTopic(fitting)).toBe(fitting)
    for (const other of ['x'.repeat(33), 'a b', 'ü', '']) expect(webTopic(other)).toMatch(/^[A-Za-z0-9_-]{32}$/)
  })

  // spec: sending/collapse-id
  test('a collapseId too long for the provider becomes its SHA-256 in base64url, for the web 32 characters', () => {
    const hash = 'vfm_5QZwmHnxnBCENsBOhqW1YYUtXArzowBxT1LtK08'
    expect([apnsCollapseId('ü'.repeat(40)), webTopic('ü'.repeat(40))]).toEqual([hash, hash.slice(0, 32)])
  })

  // spec: sending/collapse-id
  test('a push’s identity as an APNs collapse id is at most 64 bytes of an HTTP header', () => {
    expect(apnsCollapseId('order 7')).toBe('order 7')
    expect(apnsCollapseId('x'.repeat(64))).toBe('x'.repeat(64))
    for (const other of ['x'.repeat(65), 'ü'.repeat(40), ' x', 'x ', 'a\r\nb']) expect(apnsCollapseId(other)).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })
})
