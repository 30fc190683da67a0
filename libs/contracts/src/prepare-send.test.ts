import { expect, test } from 'vitest'
import type { FrozenSend, Recipient } from './batch.ts'
import { encodePush } from './payload.ts'
import { platforms } from './platform.ts'
import { prepareSend } from './prepare-send.ts'
import { compileEntry } from './render-entry.ts'

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

function shownTo(recipient: Recipient, send: FrozenSend, variant = ''): { title: string; body: string } | undefined {
  const encoded = prepareSend(send, () => now).payloadFor('ios', recipient, variant, 'message', 60)
  if (!encoded?.ok) return undefined
  const { aps } = JSON.parse(encoded.body) as { aps: { alert: { title: string; body: string } } }
  return aps.alert
}

// spec: content/locale-choice
test('a user gets the text in the user’s language, else in the default locale', () => {
  const titles = ['pt-BR', 'en-GB', 'fr', null].map((language) => shownTo(givenRecipient({ language }), givenSend())?.title)
  expect(titles).toEqual(['Olá', 'Hello anna', 'Hello anna', 'Hello anna'])
})

// spec: content/placeholder-names
test('the placeholders of a push read its user, tags, data and campaign', () => {
  expect(shownTo(givenRecipient(), givenSend())?.body).toBe('spring 17 gold')
  expect(shownTo(givenRecipient({ user: { externalId: null }, tags: {} }), givenSend())).toMatchObject({
    title: 'Hello you',
    body: 'spring 17 ',
  })
})

// spec: sending/silent, content/render-empty
test('a silent send shows nothing, and a send whose texts render empty has nothing to show', () => {
  const silent = prepareSend(givenSend({ silent: true })).payloadFor('ios', givenRecipient(), '', 'message', 60)
  expect(silent?.ok && JSON.parse(silent.body)).toEqual({ order: '17', aps: { 'content-available': 1 }, herald: { msgId: 'message' } })
  const empty = givenSend({ content: { _default: 'en', en: { title: '{{ tags.none }}', body: '{{ tags.none }}' } } })
  expect(prepareSend(empty).payloadFor('ios', givenRecipient(), '', 'message', 60)).toBeUndefined()
})

// spec: content/placeholder-dates
test('a date in a push is shown in the user’s time zone, else the app’s, else UTC', () => {
  const content = { _default: 'en', en: { title: 'T', body: '{{ user.createdAt | date: "%F %R" }}' } }
  const user = { createdAt: '2026-01-31T23:30:00.000Z' }
  const bodyFor = (timezone: string | null, app: Partial<FrozenSend>) =>
    shownTo(givenRecipient({ user, timezone }), givenSend({ content, ...app }))?.body
  expect(bodyFor('Asia/Tokyo', { defaultTimezone: 'America/New_York' })).toBe('2026-02-01 08:30')
  expect(bodyFor(null, { defaultTimezone: 'America/New_York' })).toBe('2026-01-31 18:30')
  expect(bodyFor(null, {})).toBe('2026-01-31 23:30')
})

test('now in a template is the moment at which the push body is made', () => {
  const content = { _default: 'en', en: { title: 'T', body: '{{ "now" | date: "%F %R" }}' } }
  expect(shownTo(givenRecipient(), givenSend({ content }))?.body).toBe('2026-01-31 12:00')
})

// spec: experiments/one-variant-per-user, experiments/weight
test('a user gets their variant’s text in their language, and variants have their shares of users', () => {
  const titled = (title: string) => ({ _default: 'en', en: { title, body: 'B' }, pt: { title: `${title} (pt)`, body: 'B' } })
  const variants = [
    { id: 'a', weight: 1, content: titled('A') },
    { id: 'b', weight: 3, content: titled('B') },
  ]
  const send = givenSend({ experiment: { sampleRate: 1, variants } })
  const prepared = prepareSend(send)
  const variantFor = (userId: string) => prepared.variantFor(userId)
  const userIds = Array.from({ length: 2_000 }, (_, n) => n.toString(16).padStart(24, '0'))

  const shown = userIds.map((userId, n) => shownTo(givenRecipient({ userId, language: n % 2 ? 'pt' : null }), send, variantFor(userId)))

  expect(shown.map((entry) => entry?.title)).toEqual(userIds.map((id, n) => `${variantFor(id).toUpperCase()}${n % 2 ? ' (pt)' : ''}`))
  const share = userIds.filter((userId) => variantFor(userId) === 'b').length / userIds.length
  expect(share).toBeGreaterThan(0.7)
  expect(share).toBeLessThan(0.8)
})

test('without an experiment a push has no variant', () => {
  expect(prepareSend(givenSend()).variantFor('6b0101fa94f99a0e6e037231')).toBe('')
})

test.each(platforms)(
  '%s: Herald makes the same push body with and without preparing the send, whichever texts differ by device',
  (platform) => {
    const texts = { title: 'Hello', body: 'your order' }
    for (const en of [
      texts,
      { ...texts, title: 'Hello {{ user.externalId }}' },
      { ...texts, url: 'https://shop.example/{{ user.externalId }}' },
      { ...texts, actions: [{ id: 'a', title: '{{ tags.plan }}' }] },
    ]) {
      const send = givenSend({ content: { _default: 'en', en } })
      const prepared = prepareSend(send)
      for (const [externalId, ttlSeconds] of [['anna', 60] as const, ['bob "the" 🎉', 60] as const, ['carl', 59] as const]) {
        const recipient = givenRecipient({ user: { externalId } })
        const entry = compileEntry(en)({ user: { externalId }, tags: recipient.tags }) ?? null
        const whole = encodePush(platform, { msgId: 'm', entry, send }, 'token', ttlSeconds)
        expect(prepared.payloadFor(platform, recipient, '', 'm', ttlSeconds)).toEqual(whole)
      }
    }
  },
)

// spec: sending/badge-increment
test('in a send that raises badges each device is shown its own number on every platform', () => {
  const prepared = prepareSend(givenSend({ presentation: { badgeIncrement: 1, sound: 'ping.caf' } }), () => now)
  const bodyOf = (platform: 'ios' | 'android' | 'web', badge: number) => {
    const made = prepared.payloadFor(platform, givenRecipient({ badge }), '', 'msg', 60)
    return made?.ok ? (JSON.parse(made.body) as Record<string, unknown>) : undefined
  }
  for (const badge of [1, 7]) {
    expect(bodyOf('ios', badge)).toMatchObject({ aps: { badge, sound: 'ping.caf' } })
    expect(bodyOf('android', badge)).toMatchObject({ message: { android: { notification: { notification_count: badge } } } })
    expect(bodyOf('web', badge)).toMatchObject({ appBadge: badge })
  }
})
