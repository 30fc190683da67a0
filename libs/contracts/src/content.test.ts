import { describe, expect, test } from 'vitest'
import { CreateCampaign } from './campaign.ts'
import { chooseLocale, Content, localesOf, namesUsed } from './content.ts'
import { Fault } from './fault.ts'
import { SendNotification } from './notification.ts'
import { SaveTemplate } from './template.ts'
import { TestSend } from './test-send.ts'
import { parseBody } from './validate.ts'

const entry = { title: 'Hello', body: 'World' }
const content = (locales: Record<string, unknown>, fallback = 'en') => ({ _default: fallback, ...locales })

function detailsOf(value: unknown): Record<string, string> {
  try {
    parseBody(Content, value, ['content'])
    return {}
  } catch (error) {
    if (!Fault.is(error)) throw error
    return Object.fromEntries((error.details ?? []).map(({ path, message }) => [path, message]))
  }
}

describe('the content of a send', () => {
  // spec: content/locale-form
  test('a content keeps its locales in canonical letter case, also the default locale', () => {
    const parsed = Content.parse({ _default: 'PT_br', pt_br: entry, 'zh-hant-tw': entry })
    expect(parsed['_default']).toBe('pt-BR')
    expect(localesOf(parsed).map(([locale]) => locale)).toEqual(['pt-BR', 'zh-Hant-TW'])
  })

  // spec: content/locales
  test('a content is refused at content._default when the default locale has no text', () => {
    expect(detailsOf(content({ en: entry }, 'de'))).toHaveProperty(['content._default'])
    expect(detailsOf({ en: entry })).toHaveProperty(['content._default'], 'is required')
    expect(detailsOf({ _default: 'toString', en: entry })).toHaveProperty(['content._default'])
  })

  // spec: content/by-locale
  test('a content with its locales under one key is the same content, wherever content is taken', () => {
    const byLocale = { default: 'PT_br', locales: { pt_br: entry, de: entry } }
    const map = { _default: 'pt-BR', 'pt-BR': entry, de: entry }
    expect(Content.parse(byLocale)).toEqual(map)
    expect(SaveTemplate.parse({ name: 'Shipped', content: byLocale }).content).toEqual(map)
    expect(SendNotification.parse({ target: { all: true }, content: byLocale }).content).toEqual(map)
    expect(TestSend.parse({ subscriptionId: '0123456789abcdef01234567', content: byLocale }).content).toEqual(map)
    const variants = ['a', 'b'].map((id) => ({ id, name: id, content: byLocale }))
    const campaign = CreateCampaign.parse({ name: 'Sale', content: byLocale, experiment: { sampleRate: 1, variants } })
    expect([campaign.content, ...(campaign.experiment?.variants ?? []).map((variant) => variant.content)]).toEqual([map, map, map])
  })

  // spec: content/by-locale
  test.each<[what: string, content: object, path: string, message: string]>([
    ['a field is missing', { default: 'en', locales: { en: { title: 'x' } } }, 'content.locales.en.body', 'is required'],
    ['the default has no text', { default: 'de', locales: { en: entry } }, 'content.default', 'must name one of the locales present'],
    ['the default is missing', { locales: { en: entry } }, 'content.default', 'is required'],
    ['the locales are missing', { default: 'en' }, 'content.locales', 'is required'],
    [
      'a locale is given twice',
      { default: 'en', locales: { en: entry, EN: entry } },
      'content.locales.EN',
      'is the same locale as en; keep one of them',
    ],
    ['a locale stands beside them', { default: 'en', locales: { en: entry }, de: entry }, 'content.de', 'is not a known field'],
    [
      'both forms are mixed',
      { _default: 'en', en: entry, locales: { de: entry } },
      'content.locales',
      'must not be given together with _default',
    ],
  ])('a content with its locales under one key is refused at its own path: %s', (_, given, path, message) => {
    expect(detailsOf(given)).toHaveProperty([path], message)
  })

  // spec: content/entry-required
  test('a content is refused at the path of a field that is missing, blank or unknown', () => {
    expect(detailsOf(content({ en: { title: 'x' } }))).toEqual({ 'content.en.body': 'is required' })
    expect(detailsOf(content({ en: { ...entry, body: '  ' } }))).toEqual({ 'content.en.body': 'must not be blank' })
    expect(detailsOf(content({ en: { ...entry, subtitle: 'x' } }))).toEqual({ 'content.en.subtitle': 'is not a known field' })
  })

  // spec: content/locale-form
  test('a content is refused when it spells one locale in two ways or names something that is no locale', () => {
    expect(detailsOf(content({ en: entry, 'pt-BR': entry, pt_br: entry }))).toHaveProperty(['content.pt_br'])
    expect(detailsOf(content({ en: entry, 'english language': entry }))).toHaveProperty(['content.english language'])
  })

  // spec: identity/old-language-codes, content/locale-form
  test('a content keeps the present code of a language, and is refused at a second name of one', () => {
    const parsed = Content.parse({ _default: 'iw', iw: entry, 'no-NO': entry })
    expect([parsed['_default'], ...localesOf(parsed).map(([locale]) => locale)]).toEqual(['he', 'he', 'nb-NO'])
    expect(detailsOf(content({ en: entry, he: entry, iw: entry }))).toEqual({ 'content.iw': 'is the same locale as he; keep one of them' })
    expect(detailsOf(content({ en: entry, in_ID: entry, 'id-ID': entry }))).toHaveProperty(['content.id-ID'])
  })

  // spec: content/entry-required, content/lengths
  test('a content has titles of at most 250 and bodies of at most 2,000 code points', () => {
    expect(detailsOf(content({ en: { title: '😀'.repeat(250), body: '😀'.repeat(2000) } }))).toEqual({})
    expect(detailsOf(content({ en: { ...entry, title: 'x'.repeat(251) } }))).toHaveProperty(['content.en.title'])
    expect(detailsOf(content({ en: { ...entry, body: 'x'.repeat(2001) } }))).toHaveProperty(['content.en.body'])
  })

  // spec: content/size, content/locales
  test('a content is at most 64 KiB and 100 locales', () => {
    const locales = (count: number, body: string) =>
      Object.fromEntries(
        ['en', ...Array.from({ length: count - 1 }, (_, n) => `es-${100 + n}`)].map((locale) => [locale, { title: 'x', body }]),
      )
    expect(detailsOf(content(locales(100, 'x')))).toEqual({})
    expect(detailsOf(content(locales(101, 'x')))).toHaveProperty(['content'])
    expect(detailsOf(content(locales(60, '😀'.repeat(300))))).toHaveProperty(['content'])
    expect(detailsOf(content({}))).toHaveProperty(['content._default'])
  })

  // spec: content/size
  test('a content is accepted with exactly 64 KiB and refused with one byte more', () => {
    const locales = Array.from({ length: 36 }, (_, n) => [`es-${100 + n}`, { title: 'x', body: 'x'.repeat(1740) }])
    const sized = (last: number) => content({ en: { title: 'x', body: 'x'.repeat(last) }, ...Object.fromEntries(locales) })
    const rest = 64 * 1024 - Buffer.byteLength(JSON.stringify(sized(0)))
    expect(rest).toBeLessThan(2000)
    expect(detailsOf(sized(rest))).toEqual({})
    expect(Object.keys(detailsOf(sized(rest + 1)))).toEqual(['content'])
  })

  // spec: content/links
  test('a content’s address is refused when not absolute, too long, running code or reading files; deep links are accepted', () => {
    for (const url of [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'java\nscript:alert(1)',
      ' javascript:1',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      '/relative',
      'https:example.com',
      'https://',
      'x'.repeat(2049),
    ]) {
      expect(detailsOf(content({ en: { ...entry, url } }))).toHaveProperty(['content.en.url'])
    }
    for (const url of [
      'https://example.com/a?b=1#c',
      'http://example.com',
      'shop://cart/7',
      'mailto:a@example.com',
      'com.example.app:open',
    ]) {
      expect(detailsOf(content({ en: { ...entry, url } }))).toEqual({})
    }
  })

  // spec: content/images
  test('a content takes the address of an image only when it is https, or http of this machine itself', () => {
    for (const image of [
      'https://example.com/a.png',
      'http://127.0.0.1:8080/pictures/a.png',
      'http://localhost/a.png',
      'http://[::1]:80/a',
    ])
      expect(detailsOf(content({ en: { ...entry, image } }))).toEqual({})
    for (const image of [
      'http://example.com/a.png',
      'http://localhost.example.com/a',
      'http://127.0.0.1@example.com/',
      'shop://a',
      'a.png',
    ])
      expect(detailsOf(content({ en: { ...entry, image } }))).toHaveProperty(['content.en.image'])
  })

  test('a content is refused when the fixed part of an address with a placeholder is wrong', () => {
    const withUrl = (url: string) => detailsOf(content({ en: { ...entry, url } }))
    expect(withUrl('https://{{ data.host }}:{{ data.port }}/{{ user.id }}')).toEqual({})
    expect(withUrl('{{ data.link }}')).toEqual({})
    expect(withUrl('javascript:{{ data.code }}')).toHaveProperty(['content.en.url'])
    expect(withUrl('https://example.com/{{ oops }}')).toHaveProperty(['content.en.url'])
  })

  // spec: content/actions, content/entry-optional
  test('a content has up to four actions, whose ids all differ', () => {
    const action = (id: string) => ({ id, title: 'Open' })
    expect(detailsOf(content({ en: { ...entry, actions: ['a', 'b', 'c', 'd'].map(action) } }))).toEqual({})
    expect(detailsOf(content({ en: { ...entry, actions: ['a', 'b', 'c', 'd', 'e'].map(action) } }))).toHaveProperty(['content.en.actions'])
    expect(detailsOf(content({ en: { ...entry, actions: ['a', 'a'].map(action) } }))).toHaveProperty(['content.en.actions.1.id'])
    expect(detailsOf(content({ en: { ...entry, actions: [{ id: 'a b', title: '' }] } }))).toHaveProperty(['content.en.actions.0.id'])
  })

  // spec: content/actions, content/entry-optional
  test('the actions and addresses of a content have limited lengths, counted in code points', () => {
    const withAction = (action: object) => detailsOf(content({ en: { ...entry, actions: [{ id: 'a', title: 'Open', ...action }] } }))
    expect(withAction({ id: 'x'.repeat(64), title: '😀'.repeat(50), url: `https://e.com/${'x'.repeat(2034)}` })).toEqual({})
    expect(withAction({ id: 'x'.repeat(65) })).toHaveProperty(['content.en.actions.0.id'])
    expect(withAction({ title: 'x'.repeat(51) })).toHaveProperty(['content.en.actions.0.title'])
    expect(withAction({ title: ' ' })).toHaveProperty(['content.en.actions.0.title'])
    expect(withAction({ url: `https://e.com/${'x'.repeat(2035)}` })).toHaveProperty(['content.en.actions.0.url'])
    expect(withAction({ url: 'javascript:alert(1)' })).toHaveProperty(['content.en.actions.0.url'])
    const image = (length: number) => detailsOf(content({ en: { ...entry, image: 'https://e.com/'.padEnd(length, 'x') } }))
    expect(image(2048)).toEqual({})
    expect(image(2049)).toHaveProperty(['content.en.image'])
  })

  // spec: content/text-form
  test('a content is refused when a text has a NUL character or half of a surrogate pair', () => {
    for (const title of ['a\0b', '\ud83d', '{{ user.id | default: "\\ud83d" }}', '{{ user.id | default: "\\u0000" }}']) {
      expect(detailsOf(content({ en: { ...entry, title } }))).toHaveProperty(['content.en.title'])
    }
  })

  // spec: content/placeholder-names, content/placeholder-filters
  test('a content may have every field that placeholders may read, and every filter', () => {
    const paths = [
      ...['id', 'externalId', 'language', 'timezone', 'country', 'createdAt', 'tags.x'].map((name) => `user.${name}`),
      ...['id', 'platform', 'appVersion', 'deviceModel', 'browser'].map((name) => `subscription.${name}`),
      ...['tags.x', 'data.x', 'campaign.id', 'campaign.name'],
    ]
    const filters = [
      'default: 1',
      'upcase',
      'downcase',
      'capitalize',
      'strip',
      'truncate: 9',
      'date: "%F"',
      'plus: 1',
      'minus: 1',
      'times: 2',
    ]
    const more = ['divided_by: 2', 'round', 'url_encode']
    for (const path of paths) expect(detailsOf(content({ en: { ...entry, body: `{{ ${path} }}` } }))).toEqual({})
    for (const filter of [...filters, ...more])
      expect(detailsOf(content({ en: { ...entry, body: `{{ tags.x | ${filter} }}` } }))).toEqual({})
  })

  // spec: content/placeholder-names, content/placeholder-filters, content/placeholder-syntax
  test.each(['title', 'body', 'url', 'image'])(
    'refuses unknown names and filters, unclosed placeholders and logic tags in the field %s, at its path',
    (field) => {
      const start = field === 'title' || field === 'body' ? '' : 'https://e.com/'
      for (const tag of ['{{ settings.key }}', '{{ user.email }}', '{{ user.id | shout }}', '{{ user.id', '{% if user.id %}x{% endif %}']) {
        expect(Object.keys(detailsOf(content({ en: { ...entry, [field]: start + tag } })))).toEqual([`content.en.${field}`])
      }
    },
  )

  test('a content is refused with the path of the text in which a placeholder is wrong', () => {
    expect(detailsOf(content({ en: { title: '{{ nobody.name }}', body: '{% if x %}' } }))).toMatchObject({
      'content.en.title': expect.stringContaining('nobody.name'),
      'content.en.body': expect.stringContaining('logic tag'),
    })
    expect(detailsOf(content({ en: { ...entry, title: 'Hi {{ user.id' } }))).toEqual({ 'content.en.title': 'has an unclosed {{' })
  })

  test('a content with __proto__ or constructor for a locale is refused, so that no text is lost silently', () => {
    expect(detailsOf(JSON.parse('{"_default":"en","en":{"title":"a","body":"b"},"__proto__":{"title":"a","body":"b"}}'))).toHaveProperty([
      'content.__proto__',
    ])
    expect(detailsOf(content({ en: entry, constructor: entry }))).toHaveProperty(['content.constructor'])
  })
})

// spec: content/cost
test.each([
  ['notification', SendNotification, { target: { all: true } }],
  ['campaign', CreateCampaign, { name: 'Sale' }],
  ['template', SaveTemplate, { name: 'Sale' }],
  ['test send', TestSend, { externalIds: ['anna'] }],
])('a %s with placeholders that cost more than 150,000 is refused at its locale', (_, schema, rest) => {
  const contentWith = (tags: number) => ({ _default: 'en', en: { title: 'T', body: '{{tags.a|upcase|strip}}'.repeat(tags) } })
  const pathsOf = (body: unknown): string[] => {
    try {
      parseBody(schema, body)
      return []
    } catch (error) {
      return Fault.is(error) ? (error.details ?? []).map(({ path }) => path) : ['?']
    }
  }
  expect(pathsOf({ ...rest, content: contentWith(25) })).toEqual([])
  expect(pathsOf({ ...rest, content: contentWith(26) })).toEqual(['content.en'])
})

describe('the locale that a user gets', () => {
  const map = Content.parse(content({ en: entry, pt: entry, 'pt-PT': entry, 'zh-Hant': entry }))
  const chosen = (language: string | null) => chooseLocale(map, language).locale

  // spec: content/locale-choice
  test('a user gets the exact language’s locale, else without its last parts, else the default', () => {
    expect(chosen('pt-PT')).toBe('pt-PT')
    expect(chosen('zh-Hant-TW')).toBe('zh-Hant')
    expect(chosen('zh-Hant-x-abc')).toBe('zh-Hant')
    expect(chosen('fr')).toBe('en')
    expect(chosen(null)).toBe('en')
  })

  // spec: content/locale-choice
  test('a user never gets another region’s locale: for pt-BR it is pt or the default, not pt-PT', () => {
    expect(chosen('pt-BR')).toBe('pt')
    expect(chooseLocale(Content.parse(content({ en: entry, 'pt-PT': entry })), 'pt-BR').locale).toBe('en')
  })

  // spec: identity/old-language-codes, content/locale-choice
  test('a user gets the language’s text also when either was stored under an old code', () => {
    const now = Content.parse(content({ en: entry, he: entry, 'nb-NO': entry, fil: entry }))
    const before = { _default: 'en', en: entry, iw: entry, 'no-NO': entry, tl: entry }
    for (const [language, present, old] of [
      ['iw-IL', 'he', 'iw'],
      ['he', 'he', 'iw'],
      ['no-NO', 'nb-NO', 'no-NO'],
      ['nb-NO', 'nb-NO', 'no-NO'],
      ['nb', 'en', 'en'],
      ['tl-PH', 'fil', 'tl'],
    ])
      expect([chooseLocale(now, language).locale, chooseLocale(before, language).locale]).toEqual([present, old])
  })

  test('a user whose language is named like `_default` or a property of every JavaScript object gets the default locale', () => {
    for (const language of ['_default', 'constructor', '__proto__', 'toString']) expect(chosen(language)).toBe('en')
  })
})

test('Herald finds which fields of users and devices and which tags a content reads, in all its locales', () => {
  const map = Content.parse(
    content({
      en: {
        title: '{{ user.externalId }} {{ tags.first | default: tags.nick }}',
        body: '{{ data.x }}',
        url: 'https://e.com/{{ subscription.platform }}',
      },
      de: { title: '{{ user.tags.plan }}', body: 'x', actions: [{ id: 'a', title: '{{ user.country }}' }] },
    }),
  )
  expect(namesUsed(map)).toEqual({ user: ['country', 'externalId'], tags: ['first', 'nick', 'plan'], subscription: ['platform'] })
})
