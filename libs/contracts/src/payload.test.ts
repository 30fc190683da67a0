import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LocaleEntry } from './content.ts'
import {
  buildApnsPayload,
  buildFcmMessage,
  buildWebPushPayload,
  cutBody,
  encodePush,
  payloadLimits,
  pushTag,
  type Push,
  type PushSend,
  sizeOf,
} from './payload.ts'
import { platforms } from './platform.ts'

const msgId = `${'A'.repeat(139)}.${'b'.repeat(22)}`
const presentation = {
  sound: 'ping.caf',
  badge: 3,
  threadId: 'thread',
  icon: 'ic_bell',
  interruptionLevel: 'time-sensitive',
  relevanceScore: 0.5,
  channelId: 'news',
} as const
const fullEntry: LocaleEntry = {
  title: 'Title',
  body: 'Body',
  url: 'https://e.com/a',
  image: 'https://e.com/a.png',
  actions: [{ id: 'open', title: 'Open', url: 'shop://x' }],
}
const campaignId = 'c'.repeat(24)
const givenSend = (fields: Partial<PushSend> = {}): PushSend => ({
  campaignId,
  silent: false,
  data: {},
  collapseId: null,
  priority: 'high',
  presentation: null,
  ...fields,
})
const givenPush = (send: Partial<PushSend> = {}, entry: LocaleEntry | null = fullEntry): Push => ({ msgId, entry, send: givenSend(send) })
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('a payload', () => {
  // spec: sending/ios-payload, sending/presentation
  test('an iOS payload has Herald’s fields under herald, data beside aps, and all of presentation that iOS has', () => {
    expect(asJson(buildApnsPayload(givenPush({ data: { order: '7' }, presentation })))).toEqual({
      aps: {
        alert: { title: 'Title', body: 'Body' },
        'mutable-content': 1,
        sound: 'ping.caf',
        badge: 3,
        'thread-id': 'thread',
        'interruption-level': 'time-sensitive',
        'relevance-score': 0.5,
      },
      herald: { msgId, url: 'https://e.com/a', image: 'https://e.com/a.png', actions: fullEntry.actions },
      order: '7',
    })
  })

  // spec: sending/android-payload
  test('a payload for Android is a notification with a tag, and data as texts', () => {
    expect(
      asJson(buildFcmMessage(givenPush({ data: { order: '7' }, presentation, collapseId: 'cart', priority: 'normal' }), 'token', 60)),
    ).toEqual({
      message: {
        token: 'token',
        notification: { title: 'Title', body: 'Body', image: 'https://e.com/a.png' },
        data: { order: '7', msgId, url: 'https://e.com/a', actions: JSON.stringify(fullEntry.actions) },
        android: {
          priority: 'normal',
          ttl: '60s',
          collapse_key: 'cart',
          notification: {
            tag: 'cart',
            channel_id: 'news',
            sound: 'ping.caf',
            icon: 'ic_bell',
            notification_count: 3,
            notification_priority: 'PRIORITY_HIGH',
          },
        },
      },
    })
  })

  // spec: sending/android-payload
  test('a payload for Android has the caller’s value of the key url in place of the url of the text', () => {
    expect(buildFcmMessage(givenPush({ data: { url: 'mine' } }), 'token', 0).message.data['url']).toBe('mine')
  })

  // spec: sending/fcm-address
  test.each(['cP9fTq0dR2e1Gh3JkLmN0p', 'f-9_Tq0dR2e1Gh3JkLmN0p'])(
    'the address %s, the id of a Firebase installation, is sent as fid',
    (fid) => {
      const { message } = buildFcmMessage(givenPush(), fid, 0)
      expect(message).toMatchObject({ fid })
      expect(message).not.toHaveProperty('token')
      expect(sizeOf('android', JSON.stringify({ message }), fid)).toBe(
        sizeOf('android', JSON.stringify(buildFcmMessage(givenPush(), 'token', 0)), 'token'),
      )
    },
  )

  // spec: sending/fcm-address
  test.each(['cP9fTq0dR2e1Gh3JkLmN0p:APA91bH', 'cP9fTq0dR2e1Gh3JkLmN0', 'cP9fTq0dR2e1Gh3JkLmN0pp', 'cP9fTq0dR2e1Gh3Jk.mN0p'])(
    'the address %s, which is no id of a Firebase installation, is sent as token',
    (token) => {
      const { message } = buildFcmMessage(givenPush({ silent: true }), token, 0)
      expect(message).toMatchObject({ token })
      expect(message).not.toHaveProperty('fid')
    },
  )

  // spec: sending/web-payload
  test('a payload for the web is one flat JSON object with the msgId in data', () => {
    expect(asJson(buildWebPushPayload(givenPush({ data: { order: '7' }, presentation })))).toEqual({
      title: 'Title',
      body: 'Body',
      url: 'https://e.com/a',
      image: 'https://e.com/a.png',
      icon: 'ic_bell',
      actions: fullEntry.actions,
      tag: pushTag(msgId),
      appBadge: 3,
      data: { order: '7', msgId },
    })
  })

  // spec: sending/sound
  test.each<[presentation: PushSend['presentation'], sound: string | object | undefined]>([
    [null, 'default'],
    [{}, 'default'],
    [{ badge: 1, interruptionLevel: 'active' }, 'default'],
    [{ interruptionLevel: 'time-sensitive' }, 'default'],
    [{ interruptionLevel: 'critical' }, { critical: 1, name: 'default', volume: 1 }],
    [
      { interruptionLevel: 'critical', sound: 'alarm.caf' },
      { critical: 1, name: 'alarm.caf', volume: 1 },
    ],
    [{ interruptionLevel: 'passive' }, undefined],
    [{ interruptionLevel: 'passive', sound: 'ping.caf' }, 'ping.caf'],
    [{ sound: 'ping.caf' }, 'ping.caf'],
    [{ sound: 'none' }, undefined],
    [{ sound: 'none', interruptionLevel: 'critical' }, undefined],
  ])('an alert on iOS with the presentation %j has the sound %j', (given, sound) => {
    expect(buildApnsPayload(givenPush({ presentation: given }))).toHaveProperty(['aps', 'sound'], sound)
  })

  // spec: sending/sound
  test('with the sound none a phone is told no sound, and a browser shows the notification silently', () => {
    const silent = givenPush({ presentation: { sound: 'none' } })
    expect(asJson(buildFcmMessage(silent, 'token', 60).message.android['notification'])).not.toHaveProperty('sound')
    expect(asJson(buildWebPushPayload(silent))).toHaveProperty('silent', true)
    for (const sound of ['default', 'ping.caf', undefined]) {
      const loud = givenPush({ presentation: sound === undefined ? null : { sound } })
      expect(buildFcmMessage(loud, 'token', 60).message.android).toHaveProperty(['notification', 'sound'], sound)
      expect(asJson(buildWebPushPayload(loud))).not.toHaveProperty('silent')
    }
  })

  // spec: sending/android-collapse
  test('without a collapseId a notification on Android has its campaign’s id as collapse key, and a silent push has none', () => {
    const keyOf = (push: Push) => buildFcmMessage(push, 'token', 60).message.android['collapse_key']
    const [one, other] = ['1'.repeat(24), '2'.repeat(24)]
    expect([keyOf(givenPush({ campaignId: one })), keyOf(givenPush({ campaignId: other }))]).toEqual([one, other])
    expect(keyOf(givenPush({ campaignId: one, collapseId: 'cart' }))).toBe('cart')
    expect(keyOf(givenPush({ campaignId: one, silent: true }))).toBeUndefined()
    expect(keyOf(givenPush({ campaignId: one, silent: true, collapseId: 'cart' }))).toBe('cart')
  })

  // spec: content/placeholder-places
  test('a payload has placeholders in data, collapseId and presentation as they are written', () => {
    const tag = '{{ user.id }}'
    const push = givenPush({ data: { x: tag }, collapseId: tag, presentation: { threadId: tag, icon: tag, channelId: tag, sound: tag } })
    expect(asJson(buildApnsPayload(push))).toMatchObject({ x: tag, aps: { 'thread-id': tag, sound: tag } })
    expect(asJson(buildFcmMessage(push, 'token', 60))).toMatchObject({
      message: { data: { x: tag }, android: { collapse_key: tag, notification: { tag, icon: tag, channel_id: tag, sound: tag } } },
    })
    expect(asJson(buildWebPushPayload(push))).toMatchObject({ tag, icon: tag, data: { x: tag } })
  })

  // spec: sending/ios-payload
  test('a payload for iOS has mutable-content when it shows an alert, and otherwise not', () => {
    expect(asJson(buildApnsPayload(givenPush({}, { title: '', body: 'B' })))).toHaveProperty(['aps', 'mutable-content'], 1)
    expect(asJson(buildApnsPayload(givenPush({ silent: true })))).not.toHaveProperty(['aps', 'mutable-content'])
  })

  // spec: sending/presentation
  test('a badge of 0 clears it on iOS and in browsers; Android gets none, where 0 means none', () => {
    const cleared = givenPush({ presentation: { badge: 0 } })
    expect(asJson(buildApnsPayload(cleared))).toHaveProperty(['aps', 'badge'], 0)
    expect(asJson(buildWebPushPayload(cleared))).toHaveProperty('appBadge', 0)
    expect(asJson(buildFcmMessage(cleared, 'token', 60).message.android['notification'])).not.toHaveProperty('notification_count')
  })

  test.each([
    ['passive', 'PRIORITY_LOW'],
    ['active', 'PRIORITY_DEFAULT'],
    ['time-sensitive', 'PRIORITY_HIGH'],
    ['critical', 'PRIORITY_MAX'],
  ] as const)('a payload has the interruption level %s for iOS, and the priority %s for Android', (interruptionLevel, priority) => {
    const push = givenPush({ presentation: { interruptionLevel } })
    expect(asJson(buildApnsPayload(push))).toHaveProperty(['aps', 'interruption-level'], interruptionLevel)
    expect(buildFcmMessage(push, 'token', 60).message.android).toHaveProperty(['notification', 'notification_priority'], priority)
  })

  test('a payload of a silent push on Android has the collapse key, and shows nothing', () => {
    const { message } = buildFcmMessage(givenPush({ silent: true, collapseId: 'sync', priority: 'normal' }), 'token', 0)
    expect(asJson(message.android)).toEqual({ priority: 'normal', ttl: '0s', collapse_key: 'sync' })
    expect(message).not.toHaveProperty('notification')
  })

  // spec: sending/push-identity
  test('a payload has the collapseId as its tag, or the identity of the push when there is no collapseId', () => {
    const tagOf = (collapseId: string | null) => [
      buildFcmMessage(givenPush({ collapseId }), 'token', 60).message.android['notification'],
      buildWebPushPayload(givenPush({ collapseId })),
    ]
    for (const shown of tagOf(null)) expect(shown).toMatchObject({ tag: pushTag(msgId) })
    for (const shown of tagOf('cart')) expect(shown).toMatchObject({ tag: 'cart' })
  })

  test('a payload for iOS and the web has no field for a value that the send leaves out', () => {
    const bare: LocaleEntry = { title: 'T', body: 'B', actions: [] }
    expect(asJson(buildApnsPayload(givenPush({}, bare)))).toEqual({
      aps: { alert: { title: 'T', body: 'B' }, 'mutable-content': 1, sound: 'default' },
      herald: { msgId },
    })
    expect(asJson(buildWebPushPayload(givenPush({}, bare)))).toEqual({ title: 'T', body: 'B', tag: pushTag(msgId), data: { msgId } })
  })

  // spec: sending/silent
  test('a silent push’s payload shows nothing on iOS and Android, although the send has a text', () => {
    const silent = givenPush({ silent: true, data: { sync: '1' }, presentation })
    expect(asJson(buildApnsPayload(silent))).toEqual({ aps: { 'content-available': 1 }, herald: { msgId }, sync: '1' })
    expect(asJson(buildFcmMessage(silent, 'token', 60))).toEqual({
      message: { token: 'token', data: { sync: '1', msgId }, android: { priority: 'high', ttl: '60s' } },
    })
  })
})

describe('the overrides of a send', () => {
  // spec: sending/overrides
  test('overrides are merged last, deeply, into what each provider gets; null takes a field away', () => {
    const overrides = {
      ios: {
        aps: { category: 'ORDER', 'content-available': 1, badge: 9, sound: null, alert: { subtitle: 'No 7' } },
        extra: { list: [1, 2] },
        order: null,
      },
      android: {
        direct_boot_ok: true,
        fcm_options: { analytics_label: 'spring' },
        notification: { click_action: 'OPEN', icon: 'other', sound: null },
      },
      web: { renotify: true, requireInteraction: true, vibrate: [100, 50], badge: 'https://e.com/b.png', icon: null, silent: true },
    }
    const before = structuredClone(overrides)
    const push = givenPush({ data: { order: '7' }, presentation, overrides })

    expect(asJson(buildApnsPayload(push))).toEqual({
      aps: {
        alert: { title: 'Title', body: 'Body', subtitle: 'No 7' },
        'mutable-content': 1,
        badge: 9,
        'thread-id': 'thread',
        'interruption-level': 'time-sensitive',
        'relevance-score': 0.5,
        category: 'ORDER',
        'content-available': 1,
      },
      herald: { msgId, url: 'https://e.com/a', image: 'https://e.com/a.png', actions: fullEntry.actions },
      extra: { list: [1, 2] },
    })
    const { android, data } = buildFcmMessage(push, 'token', 60).message
    expect(data).toMatchObject({ order: '7', msgId })
    expect(asJson(android)).toEqual({
      priority: 'high',
      ttl: '60s',
      collapse_key: campaignId,
      notification: {
        tag: pushTag(msgId),
        channel_id: 'news',
        icon: 'other',
        notification_count: 3,
        notification_priority: 'PRIORITY_HIGH',
        click_action: 'OPEN',
      },
      direct_boot_ok: true,
      fcm_options: { analytics_label: 'spring' },
    })
    const { icon: _, ...web } = asJson(buildWebPushPayload(givenPush({ presentation }))) as Record<string, unknown>
    const { icon: _icon, ...added } = overrides.web
    expect(asJson(buildWebPushPayload(givenPush({ presentation, overrides })))).toEqual({ ...web, ...added })
    expect(overrides).toEqual(before)
  })

  // spec: sending/overrides
  test('a silent push stays silent: of its overrides nothing that would show is taken', () => {
    const overrides = {
      ios: { aps: { badge: 1, sound: 'x', category: 'C', 'content-available': 1 }, extra: 1 },
      android: { direct_boot_ok: true, notification: { click_action: 'OPEN' } },
    }
    const silent = givenPush({ silent: true, overrides })
    expect(asJson(buildApnsPayload(silent))).toEqual({ aps: { 'content-available': 1 }, herald: { msgId }, extra: 1 })
    expect(asJson(buildFcmMessage(silent, 'token', 60).message)).toEqual({
      token: 'token',
      data: { msgId },
      android: { priority: 'high', ttl: '60s', direct_boot_ok: true },
    })
  })

  // spec: sending/overrides, content/placeholder-places
  test('placeholders in overrides are sent as they are written', () => {
    const overrides = { ios: { aps: { category: '{{ user.id }}' } }, web: { lang: '{{ user.language }}' } }
    expect(asJson(buildApnsPayload(givenPush({ overrides })))).toHaveProperty(['aps', 'category'], '{{ user.id }}')
    expect(asJson(buildWebPushPayload(givenPush({ overrides })))).toHaveProperty('lang', '{{ user.language }}')
  })

  // spec: sending/overrides, content/payload-limits
  test.each(platforms)('the bytes of overrides count in the size of a push on %s: with them the body is cut sooner', (platform) => {
    const filler = platform === 'android' ? { restricted_package_name: 'x'.repeat(1500) } : { filler: 'x'.repeat(1500) }
    const send = givenSend({ overrides: { [platform]: filler } })
    const entry = { title: 'T', body: 'y'.repeat(2900) }
    const encoded = encodePush(platform, { msgId, entry, send }, '', 60)
    expect(encoded.ok && encoded.body).toContain('x'.repeat(1500))
    expect(encoded.ok && encoded.body).toContain('y…')
    expect(encodePush(platform, { msgId, entry, send: givenSend() }, '', 60)).toMatchObject({
      ok: true,
      body: expect.not.stringContaining('…'),
    })
  })
})

describe('the size of a payload', () => {
  const sizeOf = (platform: (typeof platforms)[number], body: string): number =>
    Buffer.byteLength(body) - (platform === 'android' ? Buffer.byteLength('{"message":{"token":"token"}}') : 0)

  test('a payload is never over the limit: it is valid JSON that fits, or the push is refused', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 2000, size: 'max' }),
      fc.constantFrom('"\\\n'.repeat(600), '👨‍👩‍👧‍👦'.repeat(180), 'ä'.repeat(2000), '\u202e'.repeat(1500)),
    )
    fc.assert(
      fc.property(fc.constantFrom(...platforms), anyText, fc.nat(3000), (platform, body, dataSize) => {
        const push = givenPush({ data: { d: 'x'.repeat(dataSize) } }, { title: 'T', body })
        const encoded = encodePush(platform, push, 'token', 60)
        const bytes = encoded.ok ? sizeOf(platform, encoded.body) : encoded.bytes
        expect(bytes <= payloadLimits[platform]).toBe(encoded.ok)
        expect(JSON.parse(encoded.ok ? encoded.body : '{}')).toBeTypeOf('object')
      }),
      { numRuns: 300 },
    )
  })

  // spec: content/payload-limits
  test.each(platforms)('a payload for %s may reach the limit exactly, and one byte more is refused', (platform) => {
    const encode = (filling: number) =>
      encodePush(platform, givenPush({ data: { d: 'x'.repeat(filling) } }, { title: 'T', body: 'B' }), 'token', 60)
    const empty = encode(0)
    const room = payloadLimits[platform] - (empty.ok ? sizeOf(platform, empty.body) : 0)
    expect(encode(room).ok).toBe(true)
    expect(encode(room + 1)).toEqual({ ok: false, bytes: payloadLimits[platform] + 1, limit: payloadLimits[platform] })
  })

  test('a payload within the limit has the body of the text unchanged', () => {
    const encoded = encodePush('ios', givenPush(), '', 0)
    expect(encoded.ok && JSON.parse(encoded.body)).toMatchObject({ aps: { alert: { body: 'Body' } } })
  })

  test('a long body is cut as late as possible', () => {
    const encoded = encodePush('web', givenPush({ data: { d: 'x'.repeat(3000) } }, { title: 'T', body: 'x'.repeat(2000) }), '', 0)
    expect(encoded.ok && Buffer.byteLength(encoded.body)).toBe(payloadLimits.web)
  })

  // spec: content/too-large-at-send
  test('a push whose payload is too large even without its body is refused', () => {
    expect(encodePush('ios', givenPush({ data: { d: 'x'.repeat(4000) } }), '', 0)).toMatchObject({ ok: false, limit: 4096 })
    expect(encodePush('ios', givenPush({ silent: true, data: { d: 'x'.repeat(4096) } }), '', 0)).toMatchObject({ ok: false })
  })
})

describe('cutting a body', () => {
  const graphemes = (text: string): string[] =>
    [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)].map((each) => each.segment)

  // spec: content/cut-at-send
  test('a cut body ends at a grapheme boundary with …, and none is cut below 40 graphemes', () => {
    const units = fc.constantFrom('a', 'é', '👨‍👩‍👧‍👦', '🇩🇪', '😀', '"', '\n', 'e\u0301', '\u0001', ' ')
    fc.assert(
      fc.property(fc.array(units, { maxLength: 200 }), fc.integer({ min: 1, max: 600 }), (parts, excess) => {
        const body = parts.join('')
        const all = graphemes(body)
        const cut = cutBody(body, excess)
        const bytes = (text: string) => Buffer.byteLength(JSON.stringify(text))
        const room = bytes(body) - excess
        const take = (count: number) => `${all.slice(0, count).join('')}…`
        // Finds the longest cut that fits in a slow and simple way, one grapheme after the other.
        const counts = Array.from({ length: all.length }, (_, count) => count).filter((count) => count >= 40 && bytes(take(count)) <= room)
        expect(cut).toBe(counts.length === 0 ? undefined : take(counts.at(-1) ?? 0))
      }),
      { numRuns: 500 },
    )
  })
})

// spec: content/cut-at-send
test('Herald cuts a body to 40 graphemes at the shortest; one still too long is not cut', () => {
  const body = 'x'.repeat(60)
  const ellipsis = Buffer.byteLength('…')
  expect(cutBody(body, 20 - ellipsis)).toBe(`${'x'.repeat(40)}…`)
  expect(cutBody(body, 21 - ellipsis)).toBeUndefined()
})
