import { runInNewContext } from 'node:vm'
import type { Content, LocaleEntry } from '@herald/contracts/content'
import { build } from 'vite'
import { beforeAll, expect, test } from 'vitest'
import { contractsInBrowser } from '../../contracts-in-browser.ts'
import { answersOf, type ParityCase } from './parity-answers.ts'

const folder = import.meta.dirname

/** Bundles a file into one script, with the plugin of the dashboard's build. */
async function bundle(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [contractsInBrowser(folder)],
    build: { write: false, minify: true, lib: { entry, formats: ['iife'], name: 'parity' } },
  })
  const [output] = Array.isArray(built) ? built : [built]
  if (!output || !('output' in output)) throw new Error('the build answered nothing')
  return output.output[0].code
}

/** Runs the bundle with nothing but the JavaScript language, `URL` and `TextEncoder`. */
function runAsPage(code: string, cases: readonly ParityCase[]): unknown {
  const page = { URL, TextEncoder, cases: JSON.stringify(cases), answer: '' }
  runInNewContext(
    `${code}\nif (typeof Buffer !== 'undefined' || typeof process !== 'undefined') throw new Error('this is no page')
answer = JSON.stringify(parity.answersOf(JSON.parse(cases)))`,
    page,
  )
  return JSON.parse(page.answer)
}

const family = '👨‍👩‍👧‍👦'
const texts: [name: string, title: string, body: string][] = [
  ['plain', 'Your order is on its way', 'It arrives today between 10 and 12.'],
  ['emoji', '🎉 Sale 🛍️', 'Everything −20 % 🔥🔥🔥 until midnight ⏰'],
  ['flags and skin tones', '🇩🇪🇫🇷🇯🇵', '👍🏽👩🏿‍🚀🏳️‍🌈 e\u0301 ñ ﷽'],
  ['right to left', 'طلبك في الطريق', 'סכום כולל: 42 ₪ — تسليم اليوم'],
  ['both directions', 'Order \u2067طلب\u2069 #17', 'abc אבג 123 ﬁ \u200f!'],
  ['30 families', 'A family', family.repeat(30)],
  ['180 families', 'Many families', family.repeat(180)],
  ['1,900 characters', 'Long', 'word '.repeat(380)],
  ['1,900 letters of two bytes', 'Long', 'ä'.repeat(1900)],
  ['1,900 emoji', 'Long', '😀'.repeat(1900)],
  ['quotes and breaks', 'He said "no" \\ yes', 'a\nb\tc "d" \\e\\ \u2028 \u0007'],
  ['placeholders', 'Hi {{ tags.name | default: "there" }}', '{{ tags.orders | plus: 1 }} orders, {{ user.language | upcase }}'],
  [
    'filters',
    '{{ tags.name | strip | capitalize | truncate: 5, "…" }}',
    '{{ tags.price | times: 1.19 | round: 2 }} {{ "a b" | url_encode }}',
  ],
  [
    'dates',
    '{{ "2026-03-29T00:30:00Z" | date: "%d.%m.%Y %H:%M" }}',
    '{{ tags.birthday | date: "%A %-d %B", "Asia/Tokyo" }} {{ "now" | date: "%s" }}',
  ],
  ['null values', '{{ tags.missing }}', '{{ tags.nothing | default: nil }}'],
  ['null beside text', 'Hello{{- tags.nothing -}} you', '{{ user.country | default: tags.name }} {{ tags.nothing | upcase }}.'],
  ['a value that is cut', '{{ tags.long }}', '{{ tags.long }}{{ tags.long }}'],
  ['a value of families', 'x', `${family.repeat(100)}{{ tags.families }}`],
]

type Shape = (entry: LocaleEntry) => LocaleEntry
const shapes: [name: string, shape: Shape][] = [
  ['alone', (entry) => entry],
  ['with a link', (entry) => ({ ...entry, url: 'https://shop.example/{{ tags.name }}?q=ü' })],
  [
    'with picture and buttons',
    (entry) => ({
      ...entry,
      image: 'https://cdn.example/{{ tags.orders }}.png',
      actions: [
        { id: 'open', title: 'Open 🚀', url: 'shop://orders/{{ user.id }}' },
        { id: 'later', title: '{{ tags.missing }}' },
      ],
    }),
  ],
  [
    'too large',
    (entry) => ({ ...entry, url: `https://shop.example/${'y'.repeat(2000)}`, image: `https://cdn.example/${'z'.repeat(2000)}` }),
  ],
]

const tags = {
  name: ' zoë müller ',
  orders: 4,
  price: 12.5,
  birthday: '1990-05-17',
  nothing: '',
  long: 'lorem ïpsum '.repeat(80),
  families: family.repeat(40),
  pro: true,
}

const cases: ParityCase[] = texts.flatMap(([text, title, body], number) =>
  shapes.map(([shapeName, shape], variation): ParityCase => {
    const entry = shape({ title, body })
    const content: Content = {
      _default: 'en',
      en: entry,
      de: { ...entry, title: `DE ${title}` },
      'zh-Hant': { ...entry, body: `繁 ${body}` },
    }
    return {
      name: `${text}, ${shapeName}`,
      content,
      language: [null, 'de-AT', 'zh-Hant-TW', 'pt-BR'][(number + variation) % 4] ?? null,
      values: {
        user: { id: '671a2b3c4d5e6f7081920a02', language: 'de', country: null },
        tags,
        subscription: { platform: 'ios' },
        data: { kind: 'order' },
        campaign: { id: '671a2b3c4d5e6f7081920a05', name: 'Sale' },
        timezone: ['Europe/Berlin', 'America/New_York', null][number % 3] ?? null,
        now: '2026-03-28T22:00:00.000Z',
      },
      send: {
        campaignId: '671a2b3c4d5e6f7081920a05',
        silent: false,
        data: variation === 1 ? { kind: 'order', note: `ü "${family}"` } : {},
        // Without a collapse id the payload holds a hash, and a page makes another hash of the same length.
        collapseId: 'order-17',
        priority: variation === 2 ? 'normal' : 'high',
        presentation:
          variation === 2 ? { sound: 'default', badge: 3, interruptionLevel: 'time-sensitive', relevanceScore: 0.5, icon: 'ic' } : null,
        overrides: variation === 1 ? { ios: { aps: { category: 'ORDER', sound: null } }, web: { renotify: true } } : null,
      },
      segment:
        number % 2 === 0
          ? { and: [{ field: 'tags.plan', op: 'in', value: ['gold', 'ß'] }, { not: { field: 'appVersion', op: 'lt', value: '10.2' } }] }
          : {
              or: [
                { field: 'language', op: 'eq', value: 'pt_br' },
                { field: 'lastActiveAt', op: 'after', value: '-14d' },
              ],
            },
      recurrence: {
        type: 'recurring',
        every: 'day',
        localTime: ['02:30', '00:00'][number % 2] ?? '',
        timezone: ['Europe/Berlin', 'America/Sao_Paulo'][variation % 2] ?? '',
      },
    }
  }),
)

let code = ''
beforeAll(async () => {
  code = await bundle(`${folder}/parity-answers.ts`)
})

// spec: dashboard/same-rules
test("for 72 contents a page gives the same texts, payloads, mistakes and instants as Herald's services do", () => {
  expect(cases.length).toBeGreaterThanOrEqual(72)
  expect(runAsPage(code, cases)).toEqual(JSON.parse(JSON.stringify(answersOf(cases))))
  // Among the cases are pushes that fit, that are cut and that are too large, and texts that are empty once they are filled in.
  const said = JSON.stringify(answersOf(cases))
  for (const expected of ['"ok":true', '"ok":false', 'text_cut', 'placeholder_empty', '"shown":null', '"details"'])
    expect(said).toContain(expected)
})

test('where a payload holds a hash, a page measures as many bytes as Herald sends', () => {
  const hashed = cases.map((one) => ({ ...one, send: { ...one.send, collapseId: null } }))
  const measured = (answers: unknown) => JSON.stringify(answers).replace(/(\\"tag\\":\\")[\w-]{32}/g, '$1…')
  const page = measured(runAsPage(code, hashed))
  expect(page).toContain('tag\\":\\"…')
  expect(page).toBe(measured(answersOf(hashed)))
})

// spec: dashboard/same-rules
test('the build fails when a page imports a module of the contracts that is not meant for pages', async () => {
  await expect(bundle(`${folder}/../../../../libs/contracts/src/administration.ts`)).rejects.toThrow(
    '@herald/contracts/administration is not for pages',
  )
})
