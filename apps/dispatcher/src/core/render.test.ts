import type { FrozenSend, Recipient } from '@herald/contracts/batch'
import { expect, test } from 'vitest'
import { prepareSend } from './render.ts'

const now = new Date('2026-01-31T12:00:00.000Z')

const givenSend = (change: Partial<FrozenSend> = {}): FrozenSend => ({
  campaignId: '6b0101fa670fb6323e3094c0',
  appId: '6b0101fa57242da27b70b803',
  name: 'spring',
  transactional: true,
  content: {
    _default: 'en',
    en: { title: 'Hello {{ user.externalId | default: "you" }}', body: '{{ campaign.name }} {{ data.order }} {{ tags.plan }}' },
    pt: { title: 'Olá', body: 'Bom dia' },
  },
  silent: false,
  data: { order: '17' },
  ttl: 60,
  collapseId: null,
  priority: 'high',
  presentation: null,
  bypass: {},
  ...change,
})

const givenRecipient = (change: Partial<Recipient> = {}): Recipient => ({
  place: 0,
  subscriptionId: '6b0101fac570c5519301082b',
  userId: '6b0101fa94f99a0e6e037231',
  address: 'token',
  keys: null,
  tokenVersion: 1,
  environment: null,
  language: null,
  timezone: null,
  user: { externalId: 'anna' },
  tags: { plan: 'gold' },
  subscription: {},
  ...change,
})

test('a user reads the locale of their language, else the default', () => {
  const prepared = prepareSend(givenSend())
  const titles = ['pt-BR', 'en-GB', 'fr', null].map((language) => prepared.entryFor(givenRecipient({ language }), '', now)?.title)
  expect(titles).toEqual(['Olá', 'Hello anna', 'Hello anna', 'Hello anna'])
})

test('placeholders read the user, tags, data and campaign of this push', () => {
  const prepared = prepareSend(givenSend())
  expect(prepared.entryFor(givenRecipient(), '', now)?.body).toBe('spring 17 gold')
  expect(prepared.entryFor(givenRecipient({ user: { externalId: null }, tags: {} }), '', now)).toMatchObject({
    title: 'Hello you',
    body: 'spring 17 ',
  })
})

test('a silent send shows nothing, one whose texts render empty has nothing to show', () => {
  expect(prepareSend(givenSend({ silent: true })).entryFor(givenRecipient(), '', now)).toBeNull()
  const empty = givenSend({ content: { _default: 'en', en: { title: '{{ tags.none }}', body: '{{ tags.none }}' } } })
  expect(prepareSend(empty).entryFor(givenRecipient(), '', now)).toBeUndefined()
})

test("a date is told in the user's zone, else the app's, else UTC", () => {
  const content = { _default: 'en', en: { title: 'T', body: '{{ user.createdAt | date: "%F %R" }}' } }
  const user = { createdAt: '2026-01-31T23:30:00.000Z' }
  const bodyFor = (timezone: string | null, app: Partial<FrozenSend>) =>
    prepareSend(givenSend({ content, ...app })).entryFor(givenRecipient({ user, timezone }), '', now)?.body
  expect(bodyFor('Asia/Tokyo', { defaultTimezone: 'America/New_York' })).toBe('2026-02-01 08:30')
  expect(bodyFor(null, { defaultTimezone: 'America/New_York' })).toBe('2026-01-31 18:30')
  expect(bodyFor(null, {})).toBe('2026-01-31 23:30')
})

test('now is the moment of the send', () => {
  const content = { _default: 'en', en: { title: 'T', body: '{{ "now" | date: "%F %R" }}' } }
  expect(prepareSend(givenSend({ content })).entryFor(givenRecipient(), '', now)?.body).toBe('2026-01-31 12:00')
})

test('a user reads the text of their variant on every device, and shares follow the weights', () => {
  const titled = (title: string) => ({ _default: 'en', en: { title, body: 'B' }, pt: { title: `${title} (pt)`, body: 'B' } })
  const variants = [
    { id: 'a', weight: 1, content: titled('A') },
    { id: 'b', weight: 3, content: titled('B') },
  ]
  const prepared = prepareSend(givenSend({ experiment: { sampleRate: 1, variants } }))
  const variantFor = (userId: string) => prepared.variantFor(userId)
  const userIds = Array.from({ length: 2_000 }, (_, n) => n.toString(16).padStart(24, '0'))

  const shown = userIds.map((userId, n) =>
    prepared.entryFor(givenRecipient({ userId, language: n % 2 ? 'pt' : null }), variantFor(userId), now),
  )

  expect(shown.map((entry) => entry?.title)).toEqual(userIds.map((id, n) => `${variantFor(id).toUpperCase()}${n % 2 ? ' (pt)' : ''}`))
  const share = userIds.filter((userId) => variantFor(userId) === 'b').length / userIds.length
  expect(share).toBeGreaterThan(0.7)
  expect(share).toBeLessThan(0.8)
})

test('without an experiment there is no variant', () => {
  expect(prepareSend(givenSend()).variantFor('6b0101fa94f99a0e6e037231')).toBe('')
})
