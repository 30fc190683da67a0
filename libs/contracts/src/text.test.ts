import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import {
  canonicalLanguage,
  canonicalLocale,
  countCodePoints,
  Country,
  ExternalId,
  findTimeZone,
  firstCodePoints,
  LanguageTag,
  name,
  namesOfZone,
  ObjectId,
  parseDay,
  parseTimestamp,
  TagChanges,
  Tags,
  text,
  Timestamp,
  TimeZone,
} from './text.ts'

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success

// spec: content/lengths
test('lengths count code points, so an emoji counts as one character', () => {
  expect(takes(text(1, 3), '😀😀😀')).toBe(true)
  expect(takes(text(1, 3), '😀😀😀😀')).toBe(false)
  expect(takes(text(1, 3), '')).toBe(false)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (value) => countCodePoints(value) === Array.from(value).length))
})

test('cutting a text after a number of code points never leaves half of a surrogate pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (value, count) => {
      expect(firstCodePoints(value, count)).toBe(Array.from(value).slice(0, count).join(''))
    }),
  )
})

// spec: content/text-form
test('a text that Postgres cannot store is refused', () => {
  expect(takes(text(0, 10), 'a\0b')).toBe(false)
  expect(takes(text(0, 10), 'a\ud800b')).toBe(false)
  expect(takes(text(0, 10), '\udc00')).toBe(false)
})

// spec: limits/ids
test('an id is 24 lower-case hexadecimal characters', () => {
  expect(takes(ObjectId, '0123456789abcdef01234567')).toBe(true)
  for (const wrong of ['0123456789ABCDEF01234567', '0123456789abcdef0123456', '0123456789abcdef01234567\n', 7, null])
    expect(takes(ObjectId, wrong)).toBe(false)
})

// spec: limits/times
test('a timestamp is stored as UTC with milliseconds', () => {
  expect(Timestamp.parse('2026-01-31T08:00:00+02:00')).toBe('2026-01-31T06:00:00.000Z')
  expect(Timestamp.parse('2026-01-31T08:00Z')).toBe('2026-01-31T08:00:00.000Z')
  expect(Timestamp.parse('2026-01-31T08:00:00.123999Z')).toBe('2026-01-31T08:00:00.123Z')
  expect(Timestamp.parse('2024-02-29T00:00:00Z')).toBe('2024-02-29T00:00:00.000Z')
})

// spec: limits/times
test('a text that is no time, a time without a zone, or outside 1970 to 9999 is refused', () => {
  const wrong = [
    '2023-02-29T00:00:00Z',
    '2026-01-31T08:00:00',
    '2026-01-31',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '1969-12-31T23:59:59Z',
  ]
  for (const time of [
    ...wrong,
    '+275760-09-13T00:00:00Z',
    '1970-01-01T00:30:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '2026-01-01T00:00:60Z',
    'now',
    '',
  ]) {
    expect(parseTimestamp(time)).toBeUndefined()
  }
})

test('every instant from 1970 to 9999 is read back as it was written', () => {
  const instants = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  fc.assert(
    fc.property(instants, (at) => {
      expect(parseTimestamp(at.toISOString())).toEqual(at)
    }),
  )
})

test('where a day is enough, a date without a time is accepted and means its first instant in UTC', () => {
  expect(parseDay('2026-03-01')?.toISOString()).toBe('2026-03-01T00:00:00.000Z')
  expect(parseDay('2026-02-30')).toBeUndefined()
})

// spec: identity/time-zone
test('a time zone must be a name of the IANA list and is stored in its usual spelling', () => {
  expect(TimeZone.parse('europe/berlin')).toBe('Europe/Berlin')
  expect(TimeZone.parse('Europe/Kiev')).toMatch(/^Europe\/K/)
  for (const wrong of ['+02:00', 'Mars/Olympus', '', 'Europe/Berlin\n', 'x'.repeat(100_000)]) expect(findTimeZone(wrong)).toBeUndefined()
})

test('locales are written in canonical letter case, and a text that is not a locale is refused', () => {
  expect(canonicalLocale('PT_br')).toBe('pt-BR')
  expect(canonicalLocale('zh-hant-tw')).toBe('zh-Hant-TW')
  expect(canonicalLocale('es-419')).toBe('es-419')
  for (const wrong of ['english', 'e', 'en-', 'en-US-POSIX', '_default', '__proto__', 'en US', ''])
    expect(canonicalLocale(wrong)).toBeUndefined()
})

// spec: identity/language
test('a user’s language may have variants, as devices report them', () => {
  expect(canonicalLanguage('ca-es-VALENCIA')).toBe('ca-ES-valencia')
  expect(canonicalLanguage('en_us')).toBe('en-US')
  expect(canonicalLanguage('zh-hant-x-Ab')).toBe('zh-Hant-x-ab')
  expect(canonicalLanguage('not a language')).toBeUndefined()
})

// spec: identity/language
test('a language of over 35 stored characters is refused, and every stored one is accepted again', () => {
  const rest = '608-x-abcdefgh-abcdefgh-abcdefgh'
  expect(canonicalLanguage(`tl-${rest}`)).toBeUndefined()
  expect(takes(LanguageTag, `tl-${rest}`)).toBe(false)
  for (const longest of [`de-${rest}`, `tl-${rest.slice(0, -1)}`]) {
    const stored = LanguageTag.parse(longest)
    expect(stored).toHaveLength(35)
    expect(LanguageTag.parse(stored)).toBe(stored)
  }
})

// spec: identity/old-language-codes
test.each([
  ['iw', 'he'],
  ['iw-IL', 'he-IL'],
  ['IW_il', 'he-IL'],
  ['in_ID', 'id-ID'],
  ['ji', 'yi'],
  ['mo-MD', 'ro-MD'],
  ['jw', 'jv'],
  ['no-NO', 'nb-NO'],
  ['tl-Latn-PH', 'fil-Latn-PH'],
  ['nn', 'nn'],
  ['de-IN', 'de-IN'],
  ['es-419', 'es-419'],
])('the language %s is stored as %s, also as the locale of a text', (written, stored) => {
  expect(canonicalLanguage(written)).toBe(stored)
  expect(canonicalLocale(written)).toBe(stored)
})

// spec: segments/timezone
test('a zone has all its names, whichever is given; a text that names none has itself alone', () => {
  expect(namesOfZone('ASIA/kolkata')).toEqual(expect.arrayContaining(['asia/kolkata', 'asia/calcutta']))
  expect(namesOfZone('US/Pacific')).toEqual(expect.arrayContaining(['america/los_angeles', 'us/pacific']))
  expect(namesOfZone('UTC')).toEqual(expect.arrayContaining(['utc', 'zulu', 'etc/utc']))
  expect(namesOfZone('Etc/GMT+5')).toEqual(['etc/gmt+5'])
  expect(namesOfZone('Mars/Olympus')).toEqual(['mars/olympus'])
})

// spec: identity/country
test('a country is two letters and is stored in capitals', () => {
  expect(Country.parse('de')).toBe('DE')
  for (const wrong of ['deu', 'd', '12', 'ß1']) expect(takes(Country, wrong)).toBe(false)
})

// spec: identity/external-id
test('texts that a faulty client sends in place of no user, such as null, are refused as external ids', () => {
  for (const wrong of ['null', 'undefined', 'NaN', '[object Object]', '', ' ', 'a\nb', 'x'.repeat(129)])
    expect(takes(ExternalId, wrong)).toBe(false)
  for (const right of ['u-1', 'nullable', 'ä', 'x'.repeat(128), 'constructor']) expect(takes(ExternalId, right)).toBe(true)
})

// spec: identity/external-id
test('. and .. are refused as external ids, because no URL can carry them; other names with dots are accepted', () => {
  for (const wrong of ['.', '..']) expect(takes(ExternalId, wrong)).toBe(false)
  for (const right of ['...', '.a', 'a..', 'a.b']) expect(takes(ExternalId, right)).toBe(true)
})

// spec: limits/names, identity/external-id
test('names and external ids have no marks of direction and no characters without width', () => {
  const marks = [0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]
  const withoutWidth = [
    0x180e, 0x200b, 0x200c, 0x200d, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xfeff, 0xad, 0x34f, 0x115f, 0x1160, 0x3164, 0xffa0,
  ]
  const selectors = [0x180b, 0x180c, 0x180d, 0xfe00, 0xfe0e, 0xe0100, 0xe01ef]
  const others = [0x17b4, 0x17b5, 0x2065, 0x206a, 0x206f, 0xe0001, 0xe0020, 0xe007f]
  for (const code of [...marks, ...withoutWidth, ...selectors, ...others])
    for (const schema of [name(100), ExternalId]) expect([code, takes(schema, `a${String.fromCodePoint(code)}b`)]).toEqual([code, false])
  expect(takes(ExternalId, 'a\ufe0fb')).toBe(false)
  for (const right of ['שלום', 'مرحبا', 'नमस्ते', 'ร้าน', '日本語', 'café', 'Sale ❤️', 'a b']) expect(takes(name(100), right)).toBe(true)
})

// spec: identity/tags
test.each(['9007199254740992', '9007199254740993', '-9007199254740993', '1e400', '-1e400', '1e21'])(
  'the number %s in a tag is refused with advice to send a text: it would be rounded',
  (written) => {
    const given = JSON.parse(`{"n":${written}}`) as unknown
    for (const schema of [Tags, TagChanges])
      expect(schema.safeParse(given).error?.issues[0]).toMatchObject({ path: ['n'], message: expect.stringContaining('send it as text') })
    expect(Tags.parse({ n: Number.MAX_SAFE_INTEGER, least: Number.MIN_SAFE_INTEGER, part: 0.1 })).toHaveProperty('n', 9007199254740991)
  },
)

// spec: identity/tags
test('a user’s tags are at most 100 and hold texts, finite numbers and booleans', () => {
  expect(Tags.parse({ plan: 'gold', visits: 3, paying: true, 'a.b:c-d': '' })).toEqual({
    plan: 'gold',
    visits: 3,
    paying: true,
    'a.b:c-d': '',
  })
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}`, n]))
  expect(takes(Tags, many(100))).toBe(true)
  expect(takes(Tags, many(101))).toBe(false)
  for (const wrong of [{ 'a b': 1 }, { '': 1 }, { $a: 1 }, { a: null }, { a: {} }, { a: Infinity }, { a: 'x'.repeat(1025) }, { a: '\0' }])
    expect(takes(Tags, wrong)).toBe(false)
})

// spec: identity/tags-merge
test('in a change of a user’s tags null is accepted as a value, beside other values', () => {
  expect(TagChanges.parse({ a: null, b: 1 })).toEqual({ a: null, b: 1 })
})

test('a tag named like a property that every JavaScript object has changes no prototype', () => {
  const names = fc.constantFrom('constructor', 'prototype', 'toString', 'hasOwnProperty', '__proto__')
  fc.assert(
    fc.property(names, fc.string({ maxLength: 5 }), (name, value) => {
      const body: unknown = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)
      const parsed = Tags.safeParse(body)
      expect(Object.hasOwn(parsed.data ?? {}, name)).toBe(name !== '__proto__')
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
      expect(Object.getPrototypeOf(parsed.data ?? {})).toBe(Object.prototype)
    }),
  )
})

test('hostile texts of 100,000 characters do not make a check hang', () => {
  const hostile = ['a-'.repeat(50_000), '2026-01-01T'.repeat(9_000), '_'.repeat(100_000), `${'9'.repeat(99_999)}Z`]
  for (const value of hostile) {
    expect(canonicalLanguage(value)).toBeUndefined()
    expect(parseTimestamp(value)).toBeUndefined()
    expect(takes(Tags, { [value]: 1 })).toBe(false)
  }
})
