import * as fc from 'fast-check'
import { Liquid } from 'liquidjs'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { compile, parseTemplate, type PlaceholderValues } from './placeholder.ts'

/**
 * Herald renders what liquidjs renders, except for the differences listed at the end of this file, which the random templates avoid or `openOracle`
 * removes. The dates of liquidjs follow the zone of its process, here UTC.
 */
vi.stubEnv('TZ', 'UTC')
afterAll(() => vi.unstubAllEnvs())

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham', 'America/St_Johns']
const oracles = new Map(zones.map((zone) => [zone, openOracle(zone)]))

function openOracle(timezoneOffset: string): Liquid {
  const engine = new Liquid({ ownPropertyOnly: true, strictFilters: true, locale: 'en-US', timezoneOffset })
  const change = (name: string, difference: (result: unknown, value: unknown) => unknown) => {
    const original = engine.filters[name]
    if (typeof original !== 'function') throw new Error(`liquidjs has no filter ${name}`)
    engine.registerFilter(name, function (value: unknown, ...args) {
      return difference(original.call(this, value, ...args), value)
    })
  }
  // A listed difference: Herald never shows Infinity or NaN. The next filter sees them as a missing value.
  for (const name of ['plus', 'minus', 'times', 'divided_by', 'round'])
    change(name, (result) => (Number.isFinite(result) ? result : undefined))
  // A listed difference: a character beyond the first 65,536 of Unicode can be a letter too.
  change('capitalize', (result, value) => {
    const [first = ''] = typeof value === 'string' ? value : ''
    return first.length === 2 ? first.toUpperCase() + String(value).slice(2).toLowerCase() : result
  })
  return engine
}

const liquid = (template: string, { timezone, user, tags, ...rest }: PlaceholderValues): string => {
  const engine = oracles.get(timezone ?? 'UTC')
  if (!engine) throw new Error(`no oracle for ${timezone}`)
  return engine.parseAndRenderSync(template, { ...rest, user: { ...user, tags }, tags })
}

const oddTexts = [
  '',
  ' ',
  '0',
  'false',
  'nil',
  '12.5',
  '-7',
  '0x1f',
  '1e3',
  '  42 ',
  '{{ user.id }}',
  '{% if %}',
  '<b>&"\'',
  '\u202eabc',
  'ß',
  'ŉ',
  'İ',
  'ΑΣ',
]
const emoji = ['👍🏽', '👨‍👩‍👧‍👦', 'e\u0301', '🇩🇪', '漢字かな', 'Ünïcödé', 'line\nbreak\ttab']
const aText = fc.oneof(
  fc.constantFrom(...oddTexts, ...emoji, 'The quick brown fox jumps over the lazy dog and then some more of it'),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)
const aNumber = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.constantFrom(0, -0, 0.5, -0.5, 1.005, 2.675, 1e21, -1e21, 5e-324, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, 0.1 + 0.2),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const anInstant = fc
  .date({ min: new Date('1972-02-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const aMoment = fc.oneof(
  anInstant,
  anInstant.map((instant) => instant.replace('Z', '+05:30')),
  anInstant.map((instant) => instant.replace(/\.\d+Z/, 'Z')),
  fc.integer({ min: 70_000_000, max: 4_000_000_000 }),
  fc.constant('soon'),
)

const names = ['a', 'b', 'first_name', 'a-b', '1st', 'größe', 'x2']
const someValues: fc.Arbitrary<PlaceholderValues> = fc.record({
  user: fc.record({
    id: aText,
    externalId: fc.option(aText),
    language: fc.option(aText),
    country: fc.constant(null),
    createdAt: anInstant,
  }),
  tags: fc
    .dictionary(fc.constantFrom(...names), fc.oneof(aText, aNumber, fc.boolean()))
    .chain((tags) => aMoment.map((when) => ({ ...tags, when }))),
  subscription: fc.record({ id: aText, platform: fc.constantFrom('ios', 'android', 'web'), appVersion: fc.option(aText) }),
  data: fc.dictionary(fc.constantFrom(...names), aText),
  campaign: fc.record({ id: aText, name: aText }),
  timezone: fc.constantFrom(...zones),
})

const fixedPaths = ['id', 'externalId', 'language', 'timezone', 'country', 'createdAt']
  .map((name) => `user.${name}`)
  .concat(['id', 'platform', 'appVersion', 'deviceModel', 'browser'].map((name) => `subscription.${name}`))
  .concat('campaign.id', 'campaign.name', "campaign['name']")
const aPath = fc.oneof(
  fc.constantFrom(...fixedPaths),
  fc
    .tuple(fc.constantFrom('tags', 'user.tags', 'data'), fc.constantFrom(...names), fc.nat(2))
    .map(([root, name, style]) => [`${root}.${name}`, `${root}["${name}"]`, `${root}[ '${name}' ]`][style] ?? root),
)
const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
const aLiteral = fc.oneof(
  aText.map(quote),
  fc.constantFrom("'it\\'s'", '"a\\n\\tb"', '"\\u00e9\\u4e2d"', '"\\101\\7"', '"}}"', '"{{ x }}"', "''", 'true', 'false', 'nil', 'null'),
  fc.integer({ min: -100, max: 100 }).map(String),
  fc.constantFrom('0.5', '-2.5', '007', '3.14159', '1.10'),
)
const anOperand = fc.oneof({ weight: 3, arbitrary: aPath }, { weight: 1, arbitrary: aLiteral })
const aSmallNumber = fc.oneof(fc.integer({ min: -5, max: 30 }).map(String), fc.constantFrom('2.5', '"7"', '"x"', 'nil', 'true', 'tags.a'))

const directives = 'aAbBCdeHhIjklLmMNpPqsSuUwWyYzZtn%'
  .split('')
  .flatMap((letter) => [
    `%${letter}`,
    ...['-', '_', '0', '^', '#', ':', '-^', '0^'].map((flags) => `%${flags}${letter}`),
    `%5${letter}`,
    `%_12${letter}`,
    `%E${letter}`,
  ])
const aFormat = fc
  .array(fc.constantFrom(...directives, ' ', 'at ', '%!', '%', 'é'), { minLength: 1, maxLength: 6 })
  .map((parts) => quote(parts.join('')))

const aFilter = fc.oneof(
  fc.constantFrom('upcase', 'downcase', 'capitalize', 'strip', 'url_encode', 'round', 'truncate'),
  anOperand.map((instead) => `default: ${instead}`),
  fc.tuple(fc.constantFrom('plus', 'minus', 'times', 'divided_by'), anOperand).map(([name, by]) => `${name}: ${by}`),
  aSmallNumber.map((digits) => `round: ${digits}`),
  aSmallNumber.map((length) => `truncate: ${length}`),
  fc.tuple(aSmallNumber, anOperand).map(([length, ending]) => `truncate: ${length}, ${ending}`),
)
const aDateFilter = fc.oneof(
  fc.constantFrom('date', 'date: nil', 'date: ""'),
  aFormat.map((format) => `date: ${format}`),
  fc.tuple(aFormat, fc.constantFrom(...zones)).map(([format, zone]) => `date: ${format}, '${zone}'`),
)

const aTag = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.tuple(anOperand, fc.array(aFilter, { maxLength: 5 })) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom('tags.when', 'user.createdAt', 'tags.missing'), aDateFilter, fc.array(aFilter, { maxLength: 2 }))
          .map(([path, date, filters]): [string, string[]] => [path, [date, ...filters]]),
      },
    ),
    fc.constantFrom('{{ ', '{{', '{{- ', '{{\n'),
    fc.constantFrom(' }}', '}}', ' -}}', '\t}}'),
    fc.constantFrom(' | ', '|'),
  )
  .map(([[operand, filters], open, close, bar]) => open + [operand, ...filters].join(bar) + close)
const plain = fc.oneof(
  fc.constantFrom(' ', '\n ', '  Hi ', '}', '}}', '{ {', '"', "'", '|', '👍🏽', '{'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
// Whether a text stays plain beside placeholders: a brace before a placeholder would be read as part of it, and `{%` or `{{` begins a tag.
const isPlain = (text: string): boolean => !/\{[{%]|\{$|\ufeff|\u180e/.test(text)
const aTemplate = fc
  .array(fc.oneof({ weight: 1, arbitrary: plain.filter(isPlain) }, { weight: 2, arbitrary: aTag }), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''))

/** In milliseconds. The tests take 3 s on a machine that does nothing else. */
const timeout = 60_000

describe('Herald and liquidjs agree', { timeout }, () => {
  // spec: content/placeholder-filters
  test('Herald and liquidjs agree on 12,000 random templates with all filters, chains of filters, arguments and odd values', () => {
    fc.assert(
      fc.property(aTemplate, someValues, (template, values) => {
        expect(parseTemplate(template)).toMatchObject({ ok: true })
        expect(compile(template)(values)).toBe(liquid(template, values))
      }),
      { numRuns: 12_000 },
    )
  })

  // spec: content/placeholder-syntax
  test('Herald and liquidjs agree on the meaning of those of 20,000 random strings that Herald accepts as templates', () => {
    const pieces = [
      '{{',
      '}}',
      '-',
      ' ',
      '|',
      ':',
      ',',
      '"',
      "'",
      '\\',
      'tags',
      'user.id',
      '.a',
      '["b"]',
      '[',
      ']',
      '5',
      '-1.5',
      'nil',
      'upcase',
      'default',
      'plus',
      'truncate',
      'é',
    ]
    const values: PlaceholderValues = { user: { id: 'u' }, tags: { a: 'A b', b: 7 }, timezone: 'UTC' }
    let taken = 0
    const heap = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((parts) => `<{{${parts.join('')}}}>`)
    fc.assert(
      fc.property(heap, (template) => {
        if (!parseTemplate(template).ok) return
        taken += 1
        expect(compile(template)(values)).toBe(liquid(template, values))
      }),
      { numRuns: 20_000 },
    )
    expect(taken).toBeGreaterThan(100)
  })
})

/**
 * Where Herald differs from liquidjs on purpose, with both results. `refused` means that Herald refuses the template with 422 when the content is
 * created.
 */
const differences: { why: string; template: string; herald: string; liquidjs: string }[] = [
  { why: 'the name of a tag may hold dots', template: '{{ tags.plan.tier }}', herald: 'gold', liquidjs: '' },
  { why: 'tags.size is the tag of that name, not the number of tags', template: '{{ tags.size }}', herald: '', liquidjs: '3' },
  { why: 'a push does not show Infinity', template: '{{ 1 | divided_by: 0 | default: "-" }}', herald: '-', liquidjs: 'Infinity' },
  { why: 'letters of newer scripts get a capital too', template: '{{ "𐐨𐐨" | capitalize }}', herald: '𐐀𐐨', liquidjs: '𐐨𐐨' },
  { why: 'the zone does not move a date without a time', template: '{{ tags.birthday | date: "%d" }}', herald: '04', liquidjs: '03' },
  { why: 'only ISO 8601 is a date', template: '{{ "May 4, 1990" | date: "%Y" }}', herald: 'May 4, 1990', liquidjs: '1990' },
  {
    why: 'a number beyond the year 9999 is no date',
    template: '{{ 8640000000000 | date: "%Y" }}',
    herald: '8640000000000',
    liquidjs: '275760',
  },
  { why: 'true is no date', template: '{{ true | date: "%Y" }}', herald: 'true', liquidjs: '1969' },
  { why: 'a zone is a name, not minutes', template: '{{ 0 | date: "%H", 60 }}', herald: '19', liquidjs: '23' },
  { why: '%F and %T are dates and times as in C', template: '{{ 0 | date: "%F %T" }}', herald: '1969-12-31 19:00:00', liquidjs: '%F %T' },
  {
    why: 'no part of a date is wider than 100 characters',
    template: '{{ 0 | date: "%101d" }}',
    herald: `${'0'.repeat(98)}31`,
    liquidjs: `${'0'.repeat(99)}31`,
  },
  { why: 'no provider takes half a surrogate pair', template: '{{ "\\ud83d" }}', herald: 'refused', liquidjs: '\ud83d' },
  { why: 'strip takes no list of characters', template: '{{ "xax" | strip: "x" }}', herald: 'refused', liquidjs: 'a' },
  { why: 'default takes no allow_false', template: '{{ false | default: 1, allow_false: true }}', herald: 'refused', liquidjs: 'false' },
  { why: 'divided_by is not integer arithmetic', template: '{{ 5 | divided_by: 2, true }}', herald: 'refused', liquidjs: '2' },
  { why: 'a placeholder is a name or a value, not an expression', template: '{{ 1 == 1 }}', herald: 'refused', liquidjs: 'true' },
  { why: 'a name in brackets must be quoted', template: '{{ tags[data.x] }}', herald: 'refused', liquidjs: '' },
  { why: 'an unknown name is refused', template: '{{ user.email }}', herald: 'refused', liquidjs: '' },
  { why: 'logic is refused', template: '{% if true %}x{% endif %}', herald: 'refused', liquidjs: 'x' },
  { why: 'nothing may follow the name and its filters', template: '{{ 1 ) }}', herald: 'refused', liquidjs: '1' },
  { why: 'at most 16 filters', template: `{{ 1${' | plus: 1'.repeat(17)} }}`, herald: 'refused', liquidjs: '18' },
]

test.each(differences)('Herald differs from liquidjs on purpose: $why', ({ template, herald, liquidjs }) => {
  const tags = { 'plan.tier': 'gold', birthday: '1990-05-04', x: 1 }
  const values: PlaceholderValues = { user: { id: 'u' }, tags, timezone: 'America/New_York' }
  expect(
    new Liquid({ ownPropertyOnly: true, timezoneOffset: 'America/New_York' }).parseAndRenderSync(template, {
      ...values,
      user: { id: 'u', tags },
    }),
  ).toBe(liquidjs)
  expect(parseTemplate(template).ok ? compile(template)(values) : 'refused').toBe(herald)
})

test('a date in a time zone that does not exist is shown in the user’s zone, where liquidjs throws', () => {
  expect(compile('{{ 0 | date: "%H", "Mars/Olympus" }}')({ timezone: 'Asia/Kolkata' })).toBe('05')
  expect(() => liquid('{{ 0 | date: "%H", "Mars/Olympus" }}', {})).toThrow('Mars/Olympus')
})
