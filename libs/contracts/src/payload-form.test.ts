import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LocaleEntry } from './content.ts'
import type { Overrides } from './overrides.ts'
import { encodePush, payloadLimits, type PushSend } from './payload.ts'
import { preparePayload } from './payload-form.ts'
import { platforms } from './platform.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }),
  fc.constantFrom('"\\\n'.repeat(300), '👨‍👩‍👧‍👦'.repeat(120), 'ä'.repeat(1900), '\u202e'.repeat(1200), '\ud800', '{{ user.id }}', ''),
)
const anyEntry: fc.Arbitrary<LocaleEntry> = fc.record(
  {
    title: anyText,
    body: anyText,
    url: fc.webUrl(),
    image: fc.webUrl(),
    actions: fc.array(fc.record({ id: fc.string({ maxLength: 5 }), title: fc.string({ maxLength: 20 }) }), { maxLength: 3 }),
  },
  { requiredKeys: ['title', 'body'] },
)
const anySend: fc.Arbitrary<PushSend> = fc.record({
  campaignId: fc.constant('c'.repeat(24)),
  silent: fc.boolean(),
  data: fc.dictionary(
    fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('aps', 'herald', 'msgId', 'url', 'actions')),
    fc.string({ maxLength: 60 }),
  ),
  collapseId: fc.option(fc.string({ minLength: 1, maxLength: 40 })),
  priority: fc.constantFrom('high', 'normal'),
  presentation: fc.option(
    fc.record(
      {
        sound: fc.string({ maxLength: 9 }),
        badge: fc.nat(99),
        threadId: fc.string({ maxLength: 9 }),
        icon: fc.string({ maxLength: 9 }),
        interruptionLevel: fc.constantFrom('passive', 'active', 'time-sensitive', 'critical'),
        channelId: fc.string({ maxLength: 9 }),
      },
      { requiredKeys: [] },
    ),
  ),
  overrides: fc.constantFrom<Overrides | null>(
    null,
    { ios: { aps: { category: 'C', sound: null }, more: ['{{ user.id }}', 1.5] }, web: { renotify: true, icon: null } },
    { android: { notification: { click_action: 'OPEN' }, direct_boot_ok: true } },
  ),
})
const anyMsgId = fc.stringMatching(/^[A-Za-z0-9_-]{139,187}\.[A-Za-z0-9_-]{22}$/)

test('a push body from a prepared form equals, byte for byte, one without, for random pushes', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...platforms),
      fc.option(anyEntry),
      anySend,
      fc.array(fc.tuple(anyMsgId, fc.string({ maxLength: 200 }), fc.nat(2_419_200)), { minLength: 1, maxLength: 4 }),
      fc.nat(4_000),
      (platform, entry, send, pushes, filling) => {
        const filled = filling < 2_000 ? send : { ...send, data: { ...send.data, filling: 'x'.repeat(filling - 1_000) } }
        const form = preparePayload(platform, entry, filled, false)
        for (const [msgId, address, ttlSeconds] of pushes)
          expect(form(msgId, address, ttlSeconds, entry)).toEqual(encodePush(platform, { msgId, entry, send: filled }, address, ttlSeconds))
      },
    ),
    { numRuns: 500 },
  )
})

test('a push body from a prepared form equals one without also with each device’s own text', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...platforms),
      anyEntry,
      anySend,
      fc.array(fc.tuple(anyMsgId, anyText, anyText), { minLength: 1, maxLength: 4 }),
      fc.nat(2_419_200),
      (platform, entry, send, pushes, ttlSeconds) => {
        const form = preparePayload(platform, entry, send, true)
        for (const [msgId, title, body] of pushes) {
          const shown = { ...entry, title, body }
          for (const address of ['token', 'cP9fTq0dR2e1Gh3JkLmN0p'])
            expect(form(msgId, address, ttlSeconds, shown)).toEqual(
              encodePush(platform, { msgId, entry: shown, send }, address, ttlSeconds),
            )
        }
      },
    ),
    { numRuns: 500 },
  )
})

test.each(platforms)('with a prepared form on %s a silent push that fits exactly is accepted, and one byte more is refused', (platform) => {
  const send: PushSend = { campaignId: 'c'.repeat(24), silent: true, data: {}, collapseId: null, priority: 'high', presentation: null }
  const msgId = 'm'.repeat(162)
  const encode = (filling: number) =>
    preparePayload(platform, null, { ...send, data: { d: 'x'.repeat(filling) } }, false)(msgId, 'token', 60, null)
  const limit = payloadLimits[platform]
  let room = limit
  while (!encode(room).ok) room -= 1
  expect(encode(room + 1)).toEqual({ ok: false, bytes: limit + 1, limit })
})
