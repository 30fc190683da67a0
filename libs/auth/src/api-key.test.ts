import * as fc from 'fast-check'
import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { makeApiKey, parseApiKey } from './api-key.ts'
import { equalSecrets, hintOf, randomSecret } from './secret.ts'

// spec: limits/key-form
test('an API key contains kind and app; Herald reads both and its hash; the hint is its last characters', () => {
  const appId = newId()
  for (const kind of ['secret', 'public', 'admin'] as const) {
    const { key, hash, hint } = makeApiKey(kind, appId)
    expect(key).toMatch(new RegExp(`^${{ secret: 'sk', public: 'pk', admin: 'ak' }[kind]}_live_${appId}_[A-Za-z0-9_-]{43}$`))
    expect(parseApiKey(key)).toEqual({ kind, appId, hash })
    expect(hint).toBe(key.slice(-4))
    expect(hash).not.toContain(key.slice(-20))
  }
})

test('a thousand new API keys of one app are all different', () => {
  const appId = newId()
  expect(new Set(Array.from({ length: 1000 }, () => makeApiKey('secret', appId).hash)).size).toBe(1000)
})

test('a text without the form of an API key is refused, even a text of a million characters', () => {
  const { key } = makeApiKey('secret', newId())
  for (const wrong of [
    '',
    'sk_live_',
    key.slice(0, -1),
    `${key}x`,
    `${key}\n`,
    ` ${key}`,
    key.toUpperCase(),
    key.replace('live', 'test'),
    'x'.repeat(1_000_000),
  ]) {
    expect(parseApiKey(wrong)).toBeUndefined()
  }
})

test('an API key with a changed character has another hash or is refused', () => {
  const { key, hash } = makeApiKey('public', newId())
  fc.assert(
    fc.property(fc.nat(key.length - 1), fc.constantFrom('A', '0', '_', ' ', 'é'), (place, character) => {
      fc.pre(key[place] !== character)
      expect(parseApiKey(key.slice(0, place) + character + key.slice(place + 1))?.hash).not.toBe(hash)
    }),
  )
})

test('a new secret is its prefix and 43 characters; it equals itself, and no shorter, longer or other secret', () => {
  const secret = randomSecret('whsec_')
  expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/)
  expect(hintOf(secret)).toHaveLength(4)
  expect(equalSecrets(secret, secret)).toBe(true)
  for (const other of ['', secret.slice(0, -1), `${secret}x`, randomSecret('whsec_')]) expect(equalSecrets(secret, other)).toBe(false)
})
