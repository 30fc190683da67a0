import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LocaleEntry } from './content.ts'
import {
  apnsCollapseId,
  apnsId,
  buildApnsPayload,
  buildFcmMessage,
  buildWebPushPayload,
  checkFits,
  cutBody,
  encodePush,
  payloadLimits,
  pushTag,
  webTopic,
  type Push,
  type PushSend,
} from './payload.ts'
import { platforms } from './platform.ts'
import { compileEntry } from './render-entry.ts'

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
const givenSend = (fields: Partial<PushSend> = {}): PushSend => ({
  silent: false,
  data: {},
  collapseId: null,
  priority: 'high',
  presentation: null,
  ...fields,
})
const givenPush = (send: Partial<PushSend> = {}, entry: LocaleEntry | null = fullEntry): Push => ({ msgId, entry, send: givenSend(send) })
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('where a payload puts things', () => {
  test('iOS: ours under herald, data beside aps, everything presentation has a place for', () => {
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

  test('Android: a notification with a tag, data as texts', () => {
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

  test("Android: the caller's own data win over ours of the same name", () => {
    expect(buildFcmMessage(givenPush({ data: { url: 'mine' } }), 'token', 0).message.data['url']).toBe('mine')
  })

  test('web: one flat JSON with the msgId in data', () => {
    expect(asJson(buildWebPushPayload(givenPush({ data: { order: '7' }, presentation })))).toEqual({
      title: 'Title',
      body: 'Body',
      url: 'https://e.com/a',
      image: 'https://e.com/a.png',
      icon: 'ic_bell',
      actions: fullEntry.actions,
      tag: pushTag(msgId),
      data: { order: '7', msgId },
    })
  })

  test('what is absent leaves no trace', () => {
    const bare: LocaleEntry = { title: 'T', body: 'B', actions: [] }
    expect(asJson(buildApnsPayload(givenPush({}, bare)))).toEqual({
      aps: { alert: { title: 'T', body: 'B' }, 'mutable-content': 1 },
      herald: { msgId },
    })
    expect(asJson(buildWebPushPayload(givenPush({}, bare)))).toEqual({ title: 'T', body: 'B', tag: pushTag(msgId), data: { msgId } })
  })

  test('a silent push shows nothing, whatever content came with it', () => {
    const silent = givenPush({ silent: true, data: { sync: '1' }, presentation })
    expect(asJson(buildApnsPayload(silent))).toEqual({ aps: { 'content-available': 1 }, herald: { msgId }, sync: '1' })
    expect(asJson(buildFcmMessage(silent, 'token', 60))).toEqual({
      message: { token: 'token', data: { sync: '1', msgId }, android: { priority: 'high', ttl: '60s' } },
    })
  })
})

describe('the identity of a push', () => {
  test('follows from the msgId alone', () => {
    expect(apnsId(msgId)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(apnsId(msgId)).toBe(apnsId(msgId))
    expect(apnsId(`${msgId}x`)).not.toBe(apnsId(msgId))
    expect(pushTag(msgId)).toMatch(/^[A-Za-z0-9_-]{32}$/)
  })

  test('a web topic is at most 32 characters of base64url', () => {
    expect(webTopic('cart_1')).toBe('cart_1')
    for (const other of ['x'.repeat(33), 'a b', 'ü', '']) expect(webTopic(other)).toMatch(/^[A-Za-z0-9_-]{32}$/)
  })

  test('an APNs collapse id is at most 64 bytes a header can carry', () => {
    expect(apnsCollapseId('order 7')).toBe('order 7')
    expect(apnsCollapseId('x'.repeat(64))).toBe('x'.repeat(64))
    for (const other of ['x'.repeat(65), 'ü'.repeat(40), ' x', 'x ', 'a\r\nb']) expect(apnsCollapseId(other)).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })
})

describe('a payload fits', () => {
  const sizeOf = (platform: (typeof platforms)[number], body: string): number =>
    Buffer.byteLength(body) - (platform === 'android' ? Buffer.byteLength('{"message":{"token":"token"}}') : 0)

  test('whatever is in it, or is refused: never over the limit, always valid JSON', () => {
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

  test.each(platforms)('the last byte that fits on %s is taken, the next is not', (platform) => {
    const encode = (filling: number) =>
      encodePush(platform, givenPush({ data: { d: 'x'.repeat(filling) } }, { title: 'T', body: 'B' }), 'token', 60)
    const empty = encode(0)
    const room = payloadLimits[platform] - (empty.ok ? sizeOf(platform, empty.body) : 0)
    expect(encode(room).ok).toBe(true)
    expect(encode(room + 1)).toEqual({ ok: false, bytes: payloadLimits[platform] + 1, limit: payloadLimits[platform] })
  })

  test('a body that fits is not touched', () => {
    const encoded = encodePush('ios', givenPush(), '', 0)
    expect(encoded.ok && JSON.parse(encoded.body)).toMatchObject({ aps: { alert: { body: 'Body' } } })
  })

  test('a long body is cut as late as possible', () => {
    const encoded = encodePush('web', givenPush({ data: { d: 'x'.repeat(3000) } }, { title: 'T', body: 'x'.repeat(2000) }), '', 0)
    expect(encoded.ok && Buffer.byteLength(encoded.body)).toBe(payloadLimits.web)
  })

  test('what is too large without its body is refused', () => {
    expect(encodePush('ios', givenPush({ data: { d: 'x'.repeat(4000) } }), '', 0)).toMatchObject({ ok: false, limit: 4096 })
    expect(encodePush('ios', givenPush({ silent: true, data: { d: 'x'.repeat(4096) } }), '', 0)).toMatchObject({ ok: false })
  })
})

describe('cutting a body', () => {
  const graphemes = (text: string): string[] =>
    [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)].map((each) => each.segment)

  test('ends at a grapheme boundary with … and loses enough bytes, or keeps its 40 graphemes and gives up', () => {
    const units = fc.constantFrom('a', 'é', '👨‍👩‍👧‍👦', '🇩🇪', '😀', '"', '\n', 'e\u0301', '\u0001', ' ')
    fc.assert(
      fc.property(fc.array(units, { maxLength: 200 }), fc.integer({ min: 1, max: 600 }), (parts, excess) => {
        const body = parts.join('')
        const all = graphemes(body)
        const cut = cutBody(body, excess)
        const bytes = (text: string) => Buffer.byteLength(JSON.stringify(text))
        const room = bytes(body) - excess
        const take = (count: number) => `${all.slice(0, count).join('')}…`
        // The longest cut that fits, found the slow way: one grapheme after the other.
        const counts = Array.from({ length: all.length }, (_, count) => count).filter((count) => count >= 40 && bytes(take(count)) <= room)
        expect(cut).toBe(counts.length === 0 ? undefined : take(counts.at(-1) ?? 0))
      }),
      { numRuns: 500 },
    )
  })
})

describe('what can never fit is refused at create', () => {
  const content = (entry: LocaleEntry) => ({ _default: 'en', en: entry })

  test('naming locale, platform, bytes and limit', () => {
    const details = checkFits({
      content: content({ title: 'T', body: 'B' }),
      data: { d: 'x'.repeat(1024), e: 'x'.repeat(1024), f: 'x'.repeat(1000) },
      presentation: { threadId: 'x'.repeat(255), icon: 'x'.repeat(2048) },
    })
    expect(details.map((detail) => detail.path)).toEqual(['content.en', 'content.en'])
    expect(details[0]?.message).toMatch(/android: \d+ bytes .* limit is 4096/)
    expect(details[1]?.message).toMatch(/web: \d+ bytes .* limit is 3993/)
  })

  test('but a long body alone is not: it can be cut', () => {
    expect(checkFits({ content: content({ title: 'T', body: 'ä'.repeat(2000) }) })).toEqual([])
  })

  test('placeholders count as nothing, and an address with one may be left out', () => {
    const address = `https://e.com/${'x'.repeat(2000)}`
    expect(checkFits({ content: content({ title: 'T', body: 'B', url: address, image: address }) })).not.toEqual([])
    expect(
      checkFits({
        content: content({ title: 'T', body: '{{ tags.x }}', url: `${address}{{ user.id }}`, image: `${address}{{ user.id }}` }),
      }),
    ).toEqual([])
  })

  test('what it passes can be sent with empty placeholders', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3900 }), fc.constantFrom('x', 'ä', '😀'), (size, unit) => {
        const entry = { title: 'T', body: `{{ tags.x }}${unit.repeat(300)}` }
        const data = { d: 'x'.repeat(size) }
        const fits = checkFits({ content: content(entry), data }).length === 0
        const rendered = compileEntry(entry)({})
        const sent = platforms.map(
          (platform) => encodePush(platform, { msgId: 'x'.repeat(166), entry: rendered ?? null, send: givenSend({ data }) }, '', 0).ok,
        )
        // Not the same question, since a cut body may be longer than 40 characters; but what fits at send must pass at create.
        expect(fits || sent.includes(false)).toBe(true)
      }),
    )
  })

  test('silent pushes have no content to judge', () => {
    expect(checkFits({ silent: true, data: { d: 'x' } })).toEqual([])
  })
})
