import type { FrozenSend } from '@herald/contracts/batch'
import type { End } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { expect } from 'vitest'
import { topic } from './start-peers.ts'
import type { Arrived, Device } from './start-simulator.ts'

export type Expected =
  | { settled: Partial<End>; dead?: boolean }
  | { guarded: { code: End['code']; providerCode: string } }
  | { retryInMs: [least: number, most: number] }
export type Case = {
  name: string
  /** With `times: 1` the device answers like this once. A repeat within the transport would then be accepted. */
  behaviour: { answer: string; retryAfterSeconds?: number; times?: number }
  expected: Partial<Record<Platform, Expected>>
  /** How many times the device must get the push; 0 when left out. */
  arrived?: number
}
const onAll = (expected: Expected) => ({ ios: expected, android: expected, web: expected })

/**
 * The expected wait before the second attempt. It is 1 s plus up to 25 %, and counts from the answer. The batch finishes later than the answer comes,
 * so less of the wait may be left.
 */
const soon: Expected = { retryInMs: [0, 1_300] }

/** What a device answers, and what its push must become. A platform without an entry has no such answer. */
export const cases: Case[] = [
  // This case comes first, since it takes longest.
  { name: 'a push without an answer goes back to audience after 10 s', behaviour: { answer: 'silent' }, expected: onAll(soon) },
  {
    name: 'a push that is accepted is sent',
    behaviour: { answer: 'ok' },
    expected: onAll({ settled: { outcome: 'sent', code: '' } }),
    arrived: 1,
  },
  {
    name: 'a push to a dead token fails, and audience is told of the token',
    behaviour: { answer: 'dead' },
    expected: onAll({ settled: { outcome: 'failed', code: 'token_dead' }, dead: true }),
  },
  {
    name: 'a push to an invalid token is left to the mass guard, for APNs after both environments refused it',
    behaviour: { answer: 'bad_token' },
    expected: {
      ios: { guarded: { code: 'token_invalid', providerCode: '400 BadDeviceToken' } },
      android: { guarded: { code: 'token_invalid', providerCode: '400 INVALID_ARGUMENT message.token' } },
    },
  },
  {
    name: 'a push to a token of another sender is left to the mass guard',
    behaviour: { answer: 'sender_mismatch' },
    expected: {
      ios: { guarded: { code: 'sender_mismatch', providerCode: '400 DeviceTokenNotForTopic' } },
      android: { guarded: { code: 'sender_mismatch', providerCode: '403 SENDER_ID_MISMATCH' } },
    },
  },
  {
    name: 'a push that is rate limited with a Retry-After of 7 s goes back to audience and waits as long',
    behaviour: { answer: 'rate_limited', retryAfterSeconds: 7, times: 1 },
    // The wait is a quarter longer by chance.
    expected: onAll({ retryInMs: [5_000, 8_750] }),
  },
  {
    name: 'a push that is answered “unavailable” goes back to audience, and the transport does not repeat it',
    behaviour: { answer: 'unavailable', times: 1 },
    expected: onAll(soon),
  },
  {
    name: 'a push that is answered with an internal error goes back to audience',
    behaviour: { answer: 'failing', times: 1 },
    expected: onAll(soon),
  },
  {
    name: 'a push that is accepted and then answered 503 goes back to audience',
    behaviour: { answer: 'accepted_then_503', times: 1 },
    expected: onAll(soon),
    arrived: 1,
  },
  {
    name: 'a push that is accepted and then broken off goes back to audience',
    behaviour: { answer: 'reset_after_accept', times: 1 },
    expected: onAll(soon),
    arrived: 1,
  },
]
/** A send with texts, buttons, presentation and send fields. */
export const rich: Partial<FrozenSend> = {
  content: {
    _default: 'en',
    en: {
      title: 'Olá “{{ user.externalId }}”',
      body: 'Order {{ data.order }} 📦',
      url: 'https://shop.example/orders/17?a=b&c=d',
      // The two slashes show that an image goes through unchanged: firebase-admin refuses such a URL as `imageUrl`.
      image: 'https://cdn.example//a%20b.png',
      actions: [{ id: 'open', title: 'Open', url: 'https://shop.example/orders/17' }],
    },
  },
  presentation: {
    sound: 'bell',
    badge: 3,
    threadId: 'orders',
    icon: 'box',
    channelId: 'orders',
    interruptionLevel: 'active',
    relevanceScore: 0.5,
  },
  overrides: {
    ios: { aps: { category: 'ORDER', alert: { subtitle: 'No 17' } } },
    android: { direct_boot_ok: true, fcm_options: { analytics_label: 'spring' }, notification: { click_action: 'OPEN_ORDER' } },
    web: { renotify: true },
  },
  collapseId: 'order-17',
  priority: 'normal',
  ttl: 600,
}

const shown = { title: 'Olá “anna”', body: 'Order 17 📦' }
const url = 'https://shop.example/orders/17?a=b&c=d'
const image = 'https://cdn.example//a%20b.png'
const actions = [{ id: 'open', title: 'Open', url: 'https://shop.example/orders/17' }]

/** The headers and the payload that a device must get when `rich` is sent. */
export const meant: Record<Platform, (push: Arrived, device: Device) => { headers: object; payload: object }> = {
  ios: ({ msgId }) => ({
    headers: { topic, pushType: 'alert', priority: '5', collapseId: 'order-17', expiration: expect.stringMatching(/^\d{10}$/) },
    payload: {
      order: '17',
      aps: {
        alert: { ...shown, subtitle: 'No 17' },
        'mutable-content': 1,
        sound: 'bell',
        badge: 3,
        'thread-id': 'orders',
        'interruption-level': 'active',
        'relevance-score': 0.5,
        category: 'ORDER',
      },
      herald: { msgId, url, image, actions },
    },
  }),
  android: ({ msgId }, { token }) => ({
    headers: {},
    payload: {
      message: {
        token,
        notification: { ...shown, image },
        data: { url, actions: JSON.stringify(actions), order: '17', msgId },
        android: {
          priority: 'normal',
          ttl: '600s',
          collapse_key: 'order-17',
          notification: {
            tag: 'order-17',
            channel_id: 'orders',
            sound: 'bell',
            icon: 'box',
            notification_count: 3,
            notification_priority: 'PRIORITY_DEFAULT',
            click_action: 'OPEN_ORDER',
          },
          direct_boot_ok: true,
          fcm_options: { analytics_label: 'spring' },
        },
      },
    },
  }),
  web: ({ msgId }) => ({
    headers: { ttl: '600', topic: 'order-17', urgency: 'normal' },
    payload: { ...shown, url, image, icon: 'box', actions, tag: 'order-17', appBadge: 3, renotify: true, data: { order: '17', msgId } },
  }),
}
