import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compile, namesUsedIn, parseTemplate, textWithoutTags, whyNotTemplate, type PlaceholderValues } from './placeholder.ts'

const values: PlaceholderValues = {
  user: { id: 'u1', externalId: null, country: 'DE', createdAt: '2024-03-05T23:30:09.007Z' },
  tags: {
    first: 'ana MARIA',
    n: 5,
    price: 5.75,
    no: false,
    empty: '',
    padded: ' x y ',
    negative: -2.5,
    digits: '12',
    html: '<b>&"',
    long: 'The quick brown fox jumps over the lazy dog and then some',
    'plan:tier': 'gold',
    'a.b': 'dotted',
    birthday: '1990-05-04',
  },
  subscription: { platform: 'ios' },
  data: { 'a-b': 'dash', evil: '{{ user.id }}' },
  campaign: { id: 'c1', name: 'Spring' },
  timezone: 'America/New_York',
  now: new Date('2026-06-15T02:00:00Z'),
}
const render = (text: string, as?: 'text' | 'link') => compile(text, as)(values)

/** The expected results are those of liquidjs 10.30.1 with the same values. */
const recorded: [template: string, liquidjs: string][] = [
  ['Hi {{ tags.first | capitalize }}!', 'Hi Ana maria!'],
  ['{{tags.first|upcase}} {{ tags.first | downcase }}', 'ANA MARIA ana maria'],
  ['{{ tags["first"] }} {{ data[\'a-b\'] }} {{ data.a-b }}', 'ana MARIA dash dash'],
  ['[{{ tags.padded | strip }}]', '[x y]'],
  ['{{ tags.missing | default: "friend" }} {{ tags.empty | default: "x" | upcase }} {{ tags.no | default: 1 }}', 'friend X 1'],
  ['{{ tags.missing }}{{ user.externalId }}{{ tags.missing | upcase }}', ''],
  ['{{ tags.no }} {{ tags.n }} {{ tags.price }}', 'false 5 5.75'],
  ['{{ tags.long | truncate }}', 'The quick brown fox jumps over the lazy dog and...'],
  ['{{ tags.long | truncate: 10, "--" }} {{ tags.long | truncate: 5, "" }} {{ tags.long | truncate: 2 }}', 'The quic-- The q ...'],
  ['{{ tags.n | plus: 2 }} {{ tags.n | minus: 7 }} {{ tags.n | times: 1.15 | round: 1 }} {{ tags.n | divided_by: 2 }}', '7 -2 5.8 2.5'],
  ['{{ tags.digits | plus: tags.n }} {{ tags.first | plus: 1 }} {{ tags.missing | times: 3 }}', '17 1 0'],
  ['{{ tags.negative | round }} {{ tags.price | round }} {{ 15 | round: -1 }}', '-3 6 20'],
  ['{{ tags.first | url_encode }} {{ tags.html | url_encode }}', 'ana+MARIA %3Cb%3E%26%22'],
  ['{{ user.createdAt | date: "%Y-%m-%d %H:%M" }}', '2024-03-05 18:30'],
  ['{{ user.createdAt | date }}', 'Tuesday, March 5, 2024 at 6:30 pm -0500'],
  [
    '{{ user.createdAt | date: "%a %b %e %-d %j %U %W %u %w %y %I %l %p %P %z %Z %s %q %L %N %^a %_m %10Y %%" }}',
    'Tue Mar  5 5 065 09 10 2 2 24 06  6 PM pm -0500 America/New_York 1709681409 th 007 007000000 TUE  3 0000002024 %',
  ],
  ['{{ user.createdAt | date: "%H:%M", "Asia/Tokyo" }}', '08:30'],
  ['{{ tags.first | date: "%Y" }}', 'ana MARIA'],
  ['a  {{- tags.n -}}  b', 'a5b'],
  ['{{ "{{" }} }} {{"}}"}} {{ \'it\\\'s\' }} {{ true }} {{ -1.5 }}', "{{ }} }} it's true -1.5"],
]

describe('a template renders as in Liquid', () => {
  // spec: content/placeholder-filters, content/placeholder-missing
  test.each(recorded)('%s renders as in Liquid', (template, expected) => {
    expect(render(template)).toBe(expected)
  })

  test('a text without placeholders comes out unchanged', () => {
    const plain = fc.string({ unit: 'grapheme' }).filter((text) => !/\{[{%]/.test(text))
    fc.assert(
      fc.property(plain, (text) => {
        expect(render(text)).toBe(text)
      }),
    )
  })
})

describe('where Herald does more than Liquid', () => {
  test('a template can read tags and data whose names have dots and colons', () => {
    expect(render('{{ tags.a.b }} {{ tags["plan:tier"] }} {{ user.tags.first }}')).toBe('dotted gold ana MARIA')
  })

  // spec: content/placeholder-dates
  test('a birthday is a day of the calendar, which the user’s time zone does not move', () => {
    expect(render('{{ tags.birthday | date: "%d %B %Y" }}')).toBe('04 May 1990')
  })

  test('now is the moment that is given for the rendering, shown in the user’s zone', () => {
    expect(render('{{ "now" | date: "%F %R" }}')).toBe('2026-06-14 22:00')
  })

  // spec: content/placeholder-missing
  test('a push never shows Infinity or NaN', () => {
    expect(render('{{ tags.n | divided_by: 0 | default: "?" }}{{ tags.first | divided_by: 0 }}')).toBe('?')
  })

  test('truncating a text counts code points, so that an emoji such as 😀 is never cut in half', () => {
    expect(compile('{{ tags.x | truncate: 3, "" }}')({ tags: { x: '😀😀😀😀' } })).toBe('😀😀😀')
  })
})

// spec: content/placeholder-values
test('the values of placeholders are inserted as text and never read as templates', () => {
  expect(render('{{ data.evil }}')).toBe('{{ user.id }}')
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (value) => compile('<{{ tags.x }}>')({ tags: { x: value } }) === `<${value}>`))
})

// spec: content/placeholder-links
test('in an address a value is percent-encoded, unless the placeholder is the complete address or encodes its value itself', () => {
  expect(render('https://e.com/?q={{ tags.html }}', 'link')).toBe('https://e.com/?q=%3Cb%3E%26%22')
  expect(compile('{{ data.link }}', 'link')({ data: { link: 'https://e.com/?a=b&c' } })).toBe('https://e.com/?a=b&c')
  expect(render('https://e.com/?q={{ tags.first | url_encode }}', 'link')).toBe('https://e.com/?q=ana+MARIA')
  expect(compile('https://e.com/{{ tags.x }}', 'link')({ tags: { x: '\ud800' } })).toBe('https://e.com/%EF%BF%BD')
})

// spec: content/placeholder-values
test('a placeholder reads only the tags and data that were given, never what every JavaScript object inherits', () => {
  const inherited: Record<string, string> = Object.create({ secret: 'inherited' })
  expect(compile('<{{ tags.secret }}>')({ tags: inherited })).toBe('<>')
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    expect(render(`<{{ tags.${name} }}{{ data['${name}'] }}>`)).toBe('<>')
  }
})

// spec: content/placeholder-syntax
test.each([
  '{{ user.id',
  '{{',
  '{{ }}',
  '{{ user }}',
  '{{ tags }}',
  '{{ user.tags }}',
  '{{ user.email }}',
  '{{ user.constructor }}',
  '{{ settings.key }}',
  '{{ name }}',
  '{{ user.id | shout }}',
  '{{ user.id | constructor }}',
  '{{ user.id | }}',
  '{{ user.id upcase }}',
  '{{ user.id | plus }}',
  '{{ user.id | upcase: 1 }}',
  '{{ user.id | default: "a", "b" }}',
  '{{ user.id | default: nobody.x }}',
  '{{ user. }}',
  '{{ tags["a }}',
  '{{ tags["a" }}',
  '{{{ user.id }}}',
  '{% if user %}',
  'a {%- x -%}',
  '{% raw %}{{ x }}{% endraw %}',
  '{{ user.id ; }}',
])('%s is refused as a template, and rendered as it is written', (template) => {
  expect(whyNotTemplate(template)).toBeTypeOf('string')
  expect(compile(template)({})).toBe(template)
})

test('any text is parsed and rendered without a crash, and a text that is not a template comes out unchanged', () => {
  const pieces = fc.constantFrom(
    '{{',
    '}}',
    '{%',
    'user.id',
    'tags.a',
    ' | ',
    'default',
    ': ',
    '"',
    "'",
    '\\',
    '[',
    ']',
    '.',
    '-',
    ',',
    '5',
    'é',
    '{',
    '}',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
      const text = parts.join('')
      const rendered = render(text)
      expect(parseTemplate(text).ok || rendered === text).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('hostile templates of 100,000 characters do not make the parser hang', () => {
  for (const text of [
    '{{'.repeat(50_000),
    `{{ ${'"'.repeat(99_999)}`,
    `{{ tags.${'a-'.repeat(50_000)} }}`,
    '{ '.repeat(50_000),
    `{{ "${'\\"'.repeat(49_000)} }}`,
  ]) {
    expect(typeof parseTemplate(text).ok).toBe('boolean')
  }
})

test('the error for a template repeats at most a short name from it', () => {
  const long = 'x'.repeat(1000)
  expect(whyNotTemplate(`{{ user.${long} }}`)?.length).toBeLessThan(300)
})

test('the fields of user and device and the tags that templates read are listed, each once', () => {
  expect(
    namesUsedIn(['{{ user.id }}{{ user.id | default: tags.b }}', '{{ tags.a }} {{ subscription.platform }} {{ campaign.name }}', 'plain']),
  ).toEqual({
    user: ['id'],
    tags: ['a', 'b'],
    subscription: ['platform'],
  })
})

test('a template without its placeholders is its plain text', () => {
  expect(textWithoutTags('Hi {{ user.id }}, bye')).toBe('Hi , bye')
})
