import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { newId } from '@herald/contracts/ids'
import { lengthOfMsgId } from '@herald/contracts/payload'
import { platforms } from '@herald/contracts/platform'
import { expect, test } from 'vitest'
import { mintMessageId, verifyMessageId, type MessageIdParts } from './message-id.ts'

const secret = 'the secret of these tests, long enough for anyone'
const hexId = fc.stringMatching(/^[0-9a-f]{24}$/)
const anyParts: fc.Arbitrary<MessageIdParts> = fc.record({
  appId: hexId,
  campaignId: hexId,
  userId: hexId,
  subscriptionId: hexId,
  platform: fc.constantFrom(...platforms),
  variant: fc.stringMatching(/^[A-Za-z0-9_-]{0,32}$/),
})
const givenParts = (): MessageIdParts => ({
  appId: newId(),
  campaignId: newId(),
  userId: newId(),
  subscriptionId: newId(),
  platform: 'ios',
  variant: '',
})
const signed = (text: string): string => {
  const body = Buffer.from(text).toString('base64url')
  return `${body}.${createHmac('sha256', secret).update(body).digest().subarray(0, 16).toString('base64url')}`
}

test('a msgId, the signed id of a push, gives back the parts that it was made of', () => {
  fc.assert(
    fc.property(anyParts, (parts) => {
      expect(verifyMessageId([secret], mintMessageId(secret, parts))).toEqual(parts)
    }),
  )
})

test('a msgId has the length that is reserved for it when payloads are measured', () => {
  fc.assert(
    fc.property(anyParts, (parts) => {
      expect(mintMessageId(secret, parts)).toHaveLength(lengthOfMsgId(parts.platform, parts.variant))
    }),
  )
})

// spec: tracking/message-id
test('a msgId has the form of the specification, checked with an independent HMAC', () => {
  const parts = { ...givenParts(), variant: 'B' }
  const text = `${parts.appId}|${parts.campaignId}|${parts.userId}|${parts.subscriptionId}|ios|B`
  expect(mintMessageId(secret, parts)).toBe(signed(text))
  expect(mintMessageId('k'.repeat(200), parts)).toContain('.')
})

// spec: tracking/message-id-strict
test('a msgId is refused when a character is changed, added or missing, or is in another letter case', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const id = mintMessageId(secret, { ...givenParts(), variant: 'a' })
  for (let place = 0; place < id.length; place++) {
    for (const character of `${alphabet}.=+/ é`) {
      if (character === id[place]) continue
      expect(verifyMessageId([secret], id.slice(0, place) + character + id.slice(place + 1))).toBeUndefined()
    }
    expect(verifyMessageId([secret], id.slice(0, place))).toBeUndefined()
    expect(verifyMessageId([secret], id.slice(place + 1))).toBeUndefined()
  }
  for (const other of [
    `${id}A`,
    `${id}=`,
    `${id}==`,
    ` ${id}`,
    `${id}\n`,
    id.replace('.', ''),
    id.replace('.', '..'),
    `${id}.${id}`,
    id.toLowerCase(),
    'x'.repeat(10_000),
    '',
    '.',
  ]) {
    expect(verifyMessageId([secret], other)).toBeUndefined()
  }
})

test('a randomly changed msgId is never accepted', () => {
  fc.assert(
    fc.property(
      anyParts,
      fc.array(fc.tuple(fc.nat(200), fc.string({ unit: 'grapheme', maxLength: 2 })), { minLength: 1, maxLength: 3 }),
      (parts, edits) => {
        const id = mintMessageId(secret, parts)
        const mutated = edits.reduce(
          (text, [at, insert]) => text.slice(0, at % text.length) + insert + text.slice((at % text.length) + 1),
          id,
        )
        fc.pre(mutated !== id)
        expect(verifyMessageId([secret], mutated)).toBeUndefined()
      },
    ),
    { numRuns: 2000 },
  )
})

// spec: tracking/message-id-strict
test('a correctly signed msgId without six parts of the right form is refused', () => {
  const [a, b, c, d] = [newId(), newId(), newId(), newId()]
  expect(verifyMessageId([secret], signed(`${a}|${b}|${c}|${d}|ios|`))).toBeDefined()
  for (const text of [
    `${a}|${b}|${c}|${d}|ios`,
    `${a}|${b}|${c}|${d}|ios||`,
    `${a}|${b}|${c}|${d}|tv|`,
    `${a}|${b}|${c}||ios|`,
    `${a}|${b}|${c}|${d.toUpperCase()}x|ios|`,
    `${a}|${b}|${c}|${d}|ios|a b`,
    `${a}|${b}|${c}|${d}|ios|é`,
    '',
  ]) {
    expect(verifyMessageId([secret], signed(text))).toBeUndefined()
  }
})

// spec: tracking/message-id-secrets
test('after a secret is replaced, msgIds of the new and previous one are accepted, not of a third', () => {
  const parts = givenParts()
  expect(verifyMessageId(['new', secret], mintMessageId(secret, parts))).toEqual(parts)
  expect(verifyMessageId(['new', secret], mintMessageId('new', parts))).toEqual(parts)
  expect(verifyMessageId(['new', secret], mintMessageId('third', parts))).toBeUndefined()
  expect(verifyMessageId([], mintMessageId(secret, parts))).toBeUndefined()
})
