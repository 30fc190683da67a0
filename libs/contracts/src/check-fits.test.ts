import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LocaleEntry } from './content.ts'
import { checkFits, encodePush, payloadLimits, type PushSend } from './payload.ts'
import { platforms } from './platform.ts'
import { compileEntry } from './render-entry.ts'

const givenSend = ({ data }: Pick<PushSend, 'data'>): PushSend => ({
  campaignId: 'c'.repeat(24),
  silent: false,
  data,
  collapseId: null,
  priority: 'high',
  presentation: null,
})

describe('the size of a content is checked when it is created', () => {
  const content = (entry: LocaleEntry) => ({ _default: 'en', en: entry })

  // spec: content/too-large-at-create
  test('the error for a content that is too large names the locale, the platform, its bytes and the limit', () => {
    const details = checkFits({
      content: content({ title: 'T', body: 'B' }),
      data: { d: 'x'.repeat(1024), e: 'x'.repeat(1024), f: 'x'.repeat(1000) },
      presentation: { threadId: 'x'.repeat(255), icon: 'x'.repeat(2048) },
    })
    expect(details.map((detail) => detail.path)).toEqual(['content.en', 'content.en'])
    expect(details[0]?.message).toMatch(/android: \d+ bytes .* limit is 4096/)
    expect(details[1]?.message).toMatch(/web: \d+ bytes .* limit is 3993/)
  })

  test('a content that is too large in several locales gets an error for each platform and locale', () => {
    const address = `https://e.com/${'x'.repeat(2000)}`
    const large = { title: 'T', body: 'B', url: address, image: address }
    const details = checkFits({ content: { _default: 'en', en: large, de: { title: 'T', body: 'B' }, fr: large } })
    expect(details.map(({ path, message }) => `${path} ${/for (\w+):/.exec(message)?.[1]}`)).toEqual([
      'content.en ios',
      'content.en android',
      'content.en web',
      'content.fr ios',
      'content.fr android',
      'content.fr web',
    ])
  })

  test('a content whose body alone is too long is accepted, because Herald shortens the body when it sends', () => {
    expect(checkFits({ content: content({ title: 'T', body: 'ä'.repeat(2000) }) })).toEqual([])
  })

  // spec: content/too-large-at-create
  test('for the size at creation placeholders count as empty text, and an address with a placeholder as absent', () => {
    const fixed = `https://e.com/${'x'.repeat(2000)}`
    const open = `${fixed}{{ user.id }}`
    const refused = (url: string, image: string) =>
      checkFits({ content: content({ title: 'T', body: '{{ tags.x }}', url, image }) }).length > 0
    expect([refused(fixed, fixed), refused(fixed, open), refused(open, fixed), refused(open, open)]).toEqual([true, false, false, false])
  })

  test('a content that fits on every platform when it is sent with empty placeholders is accepted at creation', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3900 }), fc.constantFrom('x', 'ä', '😀'), (size, unit) => {
        const entry = { title: 'T', body: `{{ tags.x }}${unit.repeat(300)}` }
        const data = { d: 'x'.repeat(size) }
        const fits = checkFits({ content: content(entry), data }).length === 0
        const rendered = compileEntry(entry)({})
        const sent = platforms.map(
          (platform) => encodePush(platform, { msgId: 'x'.repeat(166), entry: rendered ?? null, send: givenSend({ data }) }, '', 0).ok,
        )
        // Sending may leave a body longer than 40 characters, so the two checks differ. But a content that fits when it is sent must be accepted when
        // it is created.
        expect(fits || sent.includes(false)).toBe(true)
      }),
    )
  })

  test.each([39, 40, 41, 42, 43])('a content with a body of %i letters that just fits a browser is accepted at creation', (length) => {
    const entry = { title: 'T', body: 'x'.repeat(length) }
    const ofWeb = 'x'.repeat(Math.ceil(((4 * 24 + 5 + 3) * 4) / 3) + 23)
    const sent = (filling: number) =>
      encodePush('web', { msgId: ofWeb, entry, send: givenSend({ data: { d: 'x'.repeat(filling) } }) }, '', 0)
    const most = Array.from({ length: payloadLimits.web }, (_, filling) => filling).findLast((filling) => sent(filling).ok) ?? 0
    const details = checkFits({ content: content(entry), data: { d: 'x'.repeat(most) } })
    expect(details.filter(({ message }) => message.includes('web'))).toEqual([])
  })

  test('a silent send without content passes the check', () => {
    expect(checkFits({ silent: true, data: { d: 'x' } })).toEqual([])
  })
})
