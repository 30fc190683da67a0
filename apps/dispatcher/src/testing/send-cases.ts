import type { FrozenSend } from '@herald/contracts/batch'
import type { End } from '@herald/contracts/outcome'
import { apnsId, payloadLimits, pushTag, type FcmAddress } from '@herald/contracts/payload'
import type { Platform } from '@herald/contracts/platform'
import { expect } from 'vitest'
import type { Arrived } from './start-simulator.ts'

/** A send, with what a device must get of it, or how its push ends without a request. */
export type SendCase = {
  name: string
  send: Partial<FrozenSend>
  /** How many milliseconds of the ttl are used up when the batch is taken. */
  elapsedMs?: number
  meant: Record<Platform, Settled | ((push: Arrived) => { id?: string; headers?: object; payload?: object })>
}
type Settled = { outcome: 'skipped' | 'failed'; code: End['code'] }

const everywhere = (settled: Settled) => ({ ios: settled, android: settled, web: settled })
const android = (message: object) => () => ({ payload: { message } })
const inTenMinutes = () => expect.toSatisfy((expiration: string) => Math.abs(Number(expiration) - Date.now() / 1000 - 600) < 30)
/** Gives the campaign's id in a msgId. */
const campaignOf = (msgId: string) =>
  Buffer.from(msgId.split('.')[0] ?? '', 'base64url')
    .toString()
    .split('|')[1]
const longBody = '👨‍👩‍👧‍👦 “é” '.repeat(150)
const isCut = expect.stringMatching(/^(?:👨‍👩‍👧‍👦 “é” ){10,}.*…$/u)
const nearLimit = (platform: Platform, { payload }: Arrived) => {
  const { message } = payload as { message?: FcmAddress }
  const ofToken = message ? Buffer.byteLength(JSON.stringify({ message: { token: message.token, fid: message.fid } })) : 0
  const bytes = Buffer.byteLength(JSON.stringify(payload)) - ofToken
  expect(bytes).toBeLessThanOrEqual(payloadLimits[platform])
  // A cut leaves fewer than 26 bytes unused. It keeps whole graphemes, and the largest one in the text, the family emoji, has 25 bytes.
  expect(bytes).toBeGreaterThan(payloadLimits[platform] - 26)
}

/**
 * Sends that differ in a send field or in what their texts render to, and how their pushes must arrive or end (spec: sending/ttl-told,
 * sending/collapse-id, sending/silent, content/cut-at-send).
 */
export const sends: SendCase[] = [
  {
    name: 'priority high is 10 for APNs, and high for FCM and browsers',
    send: { priority: 'high' },
    meant: {
      ios: () => ({ headers: { priority: '10', pushType: 'alert' } }),
      android: android({ android: { priority: 'high' } }),
      web: () => ({ headers: { urgency: 'high' } }),
    },
  },
  {
    name: 'priority normal is 5 for APNs, and normal for FCM and browsers',
    send: { priority: 'normal' },
    meant: {
      ios: () => ({ headers: { priority: '5', pushType: 'alert' } }),
      android: android({ android: { priority: 'normal' } }),
      web: () => ({ headers: { urgency: 'normal' } }),
    },
  },
  {
    name: 'a collapseId that fits is taken as it is',
    send: { collapseId: 'order-17' },
    meant: {
      ios: ({ msgId }) => ({ id: apnsId(msgId), headers: { collapseId: 'order-17' } }),
      android: android({ android: { collapse_key: 'order-17', notification: { tag: 'order-17' } } }),
      web: () => ({ headers: { topic: 'order-17' }, payload: { tag: 'order-17' } }),
    },
  },
  {
    // The expected value is base64url(SHA-256) of the collapseId, computed without the code under test.
    name: 'a collapseId that no header can carry is sent as a hash in headers',
    send: { collapseId: 'bestellung für März 🛒' },
    meant: {
      ios: ({ msgId }) => ({ id: apnsId(msgId), headers: { collapseId: '-idVpQPKeqSOskTBIHhcrDHGRSQo16zRWKEO1G4SCuw' } }),
      android: android({ android: { collapse_key: 'bestellung für März 🛒', notification: { tag: 'bestellung für März 🛒' } } }),
      web: () => ({ headers: { topic: '-idVpQPKeqSOskTBIHhcrDHGRSQo16zR' }, payload: { tag: 'bestellung für März 🛒' } }),
    },
  },
  {
    name: 'without a collapseId every push has an identity of its own',
    send: { collapseId: null },
    meant: {
      ios: ({ msgId }) => ({ id: apnsId(msgId), headers: { collapseId: apnsId(msgId) } }),
      android: ({ msgId, payload }) => {
        expect(payload).toHaveProperty('message.android.collapse_key', campaignOf(msgId))
        return { payload: { message: { android: { notification: { tag: pushTag(msgId) } } } } }
      },
      web: ({ msgId, headers }) => {
        expect(headers['topic'] ?? null).toBeNull()
        return { payload: { tag: pushTag(msgId) } }
      },
    },
  },
  {
    name: 'with a ttl of 0 the provider is told to deliver now or never',
    send: { ttl: 0 },
    elapsedMs: 60_000,
    meant: {
      ios: () => ({ headers: { expiration: '0' } }),
      android: android({ android: { ttl: '0s' } }),
      web: () => ({ headers: { ttl: '0' } }),
    },
  },
  {
    name: 'the provider is told what is left of the ttl',
    send: { ttl: 660 },
    elapsedMs: 60_000,
    meant: {
      ios: () => ({ headers: { expiration: inTenMinutes() } }),
      android: android({ android: { ttl: expect.stringMatching(/^(?:600|59\d)s$/) } }),
      web: () => ({ headers: { ttl: expect.stringMatching(/^(?:600|59\d)$/) } }),
    },
  },
  {
    name: 'a push whose ttl is used up is skipped as expired, without a request',
    send: { ttl: 60 },
    elapsedMs: 60_000,
    meant: everywhere({ outcome: 'skipped', code: 'expired' }),
  },
  {
    name: 'a silent push shows nothing, and browsers are skipped',
    send: { silent: true, data: { sync: '1' }, presentation: { sound: 'bell', badge: 3 } },
    meant: {
      ios: ({ msgId, payload, headers }) => {
        expect(payload).toEqual({ sync: '1', aps: { 'content-available': 1 }, herald: { msgId } })
        expect(headers['collapseId'] ?? null).toBeNull()
        return { headers: { pushType: 'background', priority: '5' } }
      },
      android: ({ msgId, payload }) => {
        expect(payload).not.toHaveProperty('message.notification')
        return { payload: { message: { data: { sync: '1', msgId } } } }
      },
      web: { outcome: 'skipped', code: 'silent_web' },
    },
  },
  {
    name: 'data arrive unchanged, also placeholders in them',
    send: { data: { order: '17', 'größe "x"': '{{ user.externalId }} 📦\n', url: 'mine' } },
    meant: {
      ios: ({ msgId }) => ({
        payload: { order: '17', 'größe "x"': '{{ user.externalId }} 📦\n', url: 'mine', herald: { msgId } },
      }),
      android: ({ msgId, payload }) => {
        expect(payload).toHaveProperty('message.data', { order: '17', 'größe "x"': '{{ user.externalId }} 📦\n', url: 'mine', msgId })
        return {}
      },
      web: ({ msgId, payload }) => {
        expect(payload).toHaveProperty('data', { order: '17', 'größe "x"': '{{ user.externalId }} 📦\n', url: 'mine', msgId })
        return {}
      },
    },
  },
  {
    name: 'a body that is too long is cut to the last whole grapheme that fits',
    send: { content: { _default: 'en', en: { title: 'T', body: longBody } }, data: { filler: 'x'.repeat(1_000) } },
    meant: {
      ios: (push) => {
        nearLimit('ios', push)
        return { payload: { aps: { alert: { title: 'T', body: isCut } } } }
      },
      android: (push) => {
        nearLimit('android', push)
        return { payload: { message: { notification: { title: 'T', body: isCut } } } }
      },
      web: (push) => {
        nearLimit('web', push)
        return { payload: { title: 'T', body: isCut } }
      },
    },
  },
  {
    name: 'a push that is too large even when cut fails without a request',
    send: { content: { _default: 'en', en: { title: 'T', body: longBody } }, data: { filler: '"'.repeat(1_024), more: '"'.repeat(1_000) } },
    meant: everywhere({ outcome: 'failed', code: 'payload_too_large' }),
  },
  {
    name: 'a push whose texts render to nothing is skipped',
    send: { content: { _default: 'en', en: { title: '{{ tags.none }}', body: ' {{ tags.none }} ' } } },
    meant: everywhere({ outcome: 'skipped', code: 'empty_content' }),
  },
  {
    name: 'a URL that is invalid after rendering is left out, and the push arrives',
    send: {
      content: { _default: 'en', en: { title: 'T', body: 'B', url: '{{ data.link }}', image: 'https://{{ data.link }}/a.png' } },
      data: { link: 'javascript:alert(1)' },
    },
    meant: {
      ios: ({ msgId, payload }) => {
        expect(payload['herald']).toEqual({ msgId })
        return {}
      },
      android: ({ msgId, payload }) => {
        expect(payload).toHaveProperty('message.data', { link: 'javascript:alert(1)', msgId })
        expect(payload).not.toHaveProperty('message.notification.image')
        return {}
      },
      web: ({ payload }) => {
        expect(Object.keys(payload).toSorted()).toEqual(['body', 'data', 'tag', 'title'])
        return {}
      },
    },
  },
  {
    name: 'a date is rendered in the app’s time zone when the user has none',
    send: {
      content: { _default: 'en', en: { title: 'T', body: '{{ "2026-01-31T23:30:00Z" | date: "%F %R" }}' } },
      defaultTimezone: 'Asia/Tokyo',
    },
    meant: {
      ios: () => ({ payload: { aps: { alert: { body: '2026-02-01 08:30' } } } }),
      android: android({ notification: { body: '2026-02-01 08:30' } }),
      web: () => ({ payload: { body: '2026-02-01 08:30' } }),
    },
  },
]
