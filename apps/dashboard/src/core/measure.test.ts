import { encodePush, lengthOfMsgId, payloadLimits, type PushSend } from '@herald/contracts/payload'
import { platforms } from '@herald/contracts/platform'
import { countCodePoints } from '@herald/contracts/text'
import { expect, test } from 'vitest'
import { emptyEntry } from './content-draft.ts'
import { measure } from './measure.ts'
import { nobody, personOf, samplePerson, valuesOf } from './person.ts'

const send: PushSend = {
  campaignId: '',
  silent: false,
  data: { kind: 'order' },
  collapseId: 'order-17',
  priority: 'high',
  presentation: null,
}
const ttlSeconds = 2_419_200
const now = new Date('2026-11-22T12:00:00Z')
const about = { data: send.data, campaign: { id: 'c', name: 'Sale' }, zone: 'Europe/Vienna', now }

// spec: dashboard/bytes
test("the size that the page shows is exactly the bytes of Herald's payload that count towards the provider's limit", () => {
  for (const platform of platforms) {
    const measured = measure(platform, { ...emptyEntry, title: 'Hi', body: '😀'.repeat(100) }, {}, { send, ttlSeconds })
    const encoded = encodePush(
      platform,
      { msgId: 'x'.repeat(lengthOfMsgId(platform)), entry: { title: 'Hi', body: '😀'.repeat(100) }, send },
      '',
      ttlSeconds,
    )
    if (!encoded.ok) throw new Error('it fits')
    const uncounted = platform === 'android' ? '{"message":{"token":""}}'.length : 0
    expect(measured).toMatchObject({
      fate: 'fits',
      bytes: Buffer.byteLength(encoded.body) - uncounted,
      cutBy: 0,
      limit: payloadLimits[platform],
    })
  }
})

// spec: dashboard/bytes
test('a body that is cut is shown as the device gets it', () => {
  const family = '👨‍👩‍👧‍👦'
  for (const platform of platforms) {
    const { fate, shown, bytes, limit, cutBy } = measure(
      platform,
      { ...emptyEntry, title: 'Hi', body: family.repeat(280) },
      {},
      { send, ttlSeconds },
    )
    expect(fate).toBe('cut')
    expect(bytes).toBeLessThanOrEqual(limit)
    // The cut is after a complete family emoji, never within one.
    expect(shown?.body.replace(new RegExp(family, 'gu'), '')).toBe('…')
    expect(countCodePoints(shown?.body ?? '') - 1 + cutBy).toBe(280 * countCodePoints(family))
  }
})

test('a push too large even with its body cut is called so; a text blank once filled in is empty', () => {
  const url = `https://shop.example/${'y'.repeat(2000)}`
  const entry = { ...emptyEntry, title: 'Hi', body: 'There', url, image: url, actions: [{ id: 'a', title: 'A', url }] }
  for (const platform of platforms) {
    expect(measure(platform, entry, {}, { send, ttlSeconds })).toMatchObject({ fate: 'too_large' })
    expect(measure(platform, { ...emptyEntry, title: '{{ tags.a }}', body: ' ' }, {}, { send, ttlSeconds })).toMatchObject({
      fate: 'empty',
      shown: null,
    })
  }
})

test('in an experiment a push’s msgId contains the variant, and the shown size counts the longer msgId', () => {
  const bytes = (variant: string) => measure('ios', { ...emptyEntry, title: 'Hi', body: 'There' }, {}, { send, ttlSeconds, variant }).bytes
  expect(bytes('a-long-variant') - bytes('')).toBe(lengthOfMsgId('ios', 'a-long-variant') - lengthOfMsgId('ios'))
})

test('a silent push needs no text', () => {
  const silent = { ...send, silent: true }
  expect(measure('ios', emptyEntry, {}, { send: silent, ttlSeconds }).fate).toBe('fits')
})

test('a text is filled in for the made-up user, an app’s user, and one without any value', () => {
  const entry = {
    ...emptyEntry,
    title: '{{ tags.plan | default: "you" }}',
    body: '{{ tags.orders | plus: 1 }} {{ user.externalId | default: "?" }}',
  }
  const tags = [
    { name: 'plan', type: 'string', values: ['pro'] },
    { name: 'orders', type: 'number', values: ['4'] },
    { name: 'unused', type: 'string', values: [] },
  ]
  const user = {
    id: 'u',
    externalId: 'customer-7',
    language: 'de',
    timezone: 'Asia/Tokyo',
    country: null,
    createdAt: '',
    tags: { orders: 11 },
  }
  const shown = [samplePerson(tags, now), personOf(user), nobody].map((person) => {
    const { shown: text } = measure('web', entry, valuesOf(person, { ...about, platform: 'web' }), { send, ttlSeconds })
    return `${text?.title}: ${text?.body}`
  })
  expect(shown).toEqual(['pro: 5 customer-1', 'you: 12 customer-7', 'you: 1 ?'])
})
