import { z } from 'zod'
import { zoneAliases } from './zone-aliases.ts'
import { isObjectId } from './ids.ts'

const objectIdForm = '^[0-9a-f]{24}$'

/** The id of a row, in an answer or between services. Whether it has the form of an id was checked where it came in (`isObjectId`). */
export const Id = z
  .string()
  .refine((value) => value.length === 24)
  .meta({ pattern: objectIdForm, description: 'An id: 24 lower-case hexadecimal characters.' })

/**
 * Whether Postgres and every provider can hold this text: it has no NUL, which Postgres refuses (22021), and no half of a surrogate pair, whose bytes
 * and HMAC would differ from process to process.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Counts the Unicode code points of a text. The limits of `text`, `line` and `sentence` count code points. */
export function countCodePoints(text: string): number {
  let pairs = 0
  for (let at = 0; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800) pairs++
  }
  return text.length - pairs
}

const highSurrogate = /[\ud800-\udbff]/

/** Gives the first `count` code points of a text, and never half of a surrogate pair. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text
  const units = text.slice(0, count)
  if (!highSurrogate.test(units)) return units
  let end = 0
  for (let taken = 0; taken < count && end < text.length; taken++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}

const controlCharacter = /\p{Cc}/u

/** Whether a text holds a C0 or C1 control character or DEL, which could split a header or a log line. */
export const hasControlCharacter = (text: string): boolean => controlCharacter.test(text)

const lengthSentence = (min: number, max: number): string =>
  min === 0 ? `must be at most ${max} characters` : `must be ${min} to ${max} characters`

/** A text of `min` to `max` code points that Postgres and every provider can hold (`isStorable`). */
export const text = (min: number, max: number) =>
  z
    .string()
    .refine(isStorable, 'must not hold a NUL character or half of a surrogate pair')
    .refine((value) => value.length <= 2 * max && between(countCodePoints(value), min, max), lengthSentence(min, max))
    .meta({ minLength: min, maxLength: max })

/** A text without control characters, so of one line, which cannot split a header. */
export const line = (min: number, max: number) =>
  text(min, max).refine((value) => !hasControlCharacter(value), 'must not hold control characters')

/**
 * Finds a character that nobody sees: Bidi_Control turns the direction of text, Default_Ignorable_Code_Point is not drawn. With these, different
 * names look the same (Unicode TR 36, 2.10; TR 9, 6.1).
 */
const invisible = /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u
/** As `invisible`, but without U+FE0F, with which ordinary emoji such as ❤️ are written. */
const invisibleInName = /(?!\uFE0F)[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u

const noInvisible = 'must not hold invisible characters: marks of direction or characters without width'

/** The arguments of `refine` that refuse a name with an invisible character. */
export const visible = [(value: string): boolean => !invisibleInName.test(value), noInvisible] as const

/** A text that is not only white space. */
export const sentence = (min: number, max: number) => text(min, max).refine((value) => value.trim() !== '', 'must not be blank')

/** The name of a thing in a list (spec: limits/names): at most `max` characters, not blank, and without invisible characters. */
export const name = (max: number) => sentence(1, max).refine(...visible)

const between = (value: number, min: number, max: number): boolean => value >= min && value <= max

/** An id inside a body. A text of another form is refused with 422; in a path it would be an unknown id (404). */
export const ObjectId = z.string().refine(isObjectId, 'must be an id: 24 lower-case hexadecimal characters').meta({ pattern: objectIdForm })

/** The id of a category of notifications, which the app chooses. */
export const CategoryId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'must be 1 to 32 characters of a-z, 0-9, _ and -')

/**
 * Texts that a faulty client sends in place of no user. If they were accepted, all devices of such a client would belong to one user
 * (spec: identity/external-id).
 */
const notAnExternalId = new Set(['null', 'undefined', 'nan', '[object object]'])

/**
 * The id that the app's backend has for a user: 1 to 128 characters, none control or invisible, and no word such as "null". `.` and `..` are refused,
 * because no path carries them (WHATWG URL, "double-dot URL path segment").
 */
export const ExternalId = line(1, 128)
  .refine(
    (value) => value.trim() !== '' && !notAnExternalId.has(value.trim().toLowerCase()),
    'must be the id of one user, not blank, null, undefined, NaN or [object Object]',
  )
  .refine((value) => value !== '.' && value !== '..', 'must not be . or .., which no URL can carry')
  .refine((value) => !invisible.test(value), noInvisible)

const isoTimestamp = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|[+-]\d{2}:\d{2})$/
const isoDate = /^\d{4}-\d{2}-\d{2}$/
const firstInstant = Date.UTC(1970, 0, 1)
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Reads an instant from ISO 8601 with a zone, in the years 1970 to 9999; undefined otherwise. 30 February is refused, although `Date` would make it 1
 * March. Digits after the milliseconds are cut off.
 */
export function parseTimestamp(value: string): Date | undefined {
  const [matched, year, month, day, hour] = isoTimestamp.exec(value) ?? []
  if (matched === undefined || Number(hour) > 23 || !isCalendarDay(Number(year), Number(month), Number(day))) return undefined
  const at = Date.parse(matched.replace(/(\.\d{3})\d+/, '$1'))
  return at >= firstInstant && at <= lastInstant ? new Date(at) : undefined
}

/** Reads an instant as `parseTimestamp` does, and also a date without a time, which means its first instant in UTC. */
export const parseDay = (value: string): Date | undefined => parseTimestamp(isoDate.test(value) ? `${value}T00:00:00Z` : value)

const isCalendarDay = (year: number, month: number, day: number): boolean =>
  between(month, 1, 12) && between(day, 1, new Date(Date.UTC(year, month, 0)).getUTCDate())

/** A day of the calendar without a zone, as YYYY-MM-DD, in the years 1970 to 9999. */
export const CalendarDate = z
  .string()
  .refine(
    (value) => isoDate.test(value) && parseDay(value) !== undefined,
    'must be a day of the calendar as YYYY-MM-DD, such as 2026-12-04',
  )
  .meta({ format: 'date' })

/** A time in ISO 8601 with a zone. It is stored as UTC with milliseconds and `Z`. */
export const Timestamp = z
  .string()
  .refine(
    (value) => parseTimestamp(value) !== undefined,
    'must be an ISO 8601 time with a zone, such as 2026-01-31T08:00:00Z, in the years 1970 to 9999',
  )
  .transform((value) => parseTimestamp(value)?.toISOString() ?? value)
  .meta({ format: 'date-time' })

const zoneForm = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/
const knownZones = new Map<string, string | undefined>()
const mostKnownZones = 2_000

/**
 * Gives an IANA time zone's name in its usual spelling, undefined when `Intl` knows none. Aliases stay; `+02:00` is no name. Results are remembered
 * (a formatter takes 30 µs) in a bounded map, as the keys come from clients.
 */
export function findTimeZone(name: string): string | undefined {
  if (!zoneForm.test(name)) return undefined
  const key = name.toLowerCase()
  if (knownZones.has(key)) return knownZones.get(key)
  if (knownZones.size >= mostKnownZones) knownZones.clear()
  const zone = askIntl(key)
  knownZones.set(key, zone)
  return zone
}

function askIntl(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // A newer Node may know names that are missing in the list of aliases. For such a name the name that `Intl` gives for its zone is stored.
    return timeZone.toLowerCase() === name ? timeZone : (zoneAliases.get(name) ?? timeZone)
  } catch {
    return undefined
  }
}

/** The names of each zone, by the lower-case name that `Intl` has for the zone. Made at the first use, because that takes about 20 ms. */
let namesByZone: Map<string, string[]> | undefined

/**
 * Gives all names of the zone with this name, in lower case (spec: segments/timezone). For a text that names no zone it gives that text alone. `Intl`
 * decides which names are names of one zone.
 */
export function namesOfZone(name: string): readonly string[] {
  namesByZone ??= Map.groupBy(
    new Set([...Intl.supportedValuesOf('timeZone'), ...zoneAliases.values()].flatMap((known) => [known.toLowerCase(), zoneKey(known)])),
    zoneKey,
  )
  return namesByZone.get(zoneKey(name)) ?? [name.toLowerCase()]
}

const zoneKeys = new Map<string, string>()

/** Gives a text that all names of a zone have in common. Results are remembered for names of zones alone, which are few. */
export function zoneKey(name: string): string {
  const key = name.toLowerCase()
  const known = zoneKeys.get(key)
  if (known !== undefined || findTimeZone(key) === undefined) return known ?? key
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: key }).resolvedOptions()
  zoneKeys.set(key, timeZone.toLowerCase())
  return timeZone.toLowerCase()
}

export const TimeZone = z
  .string()
  .refine((value) => findTimeZone(value) !== undefined, 'must be the name of an IANA time zone, such as Europe/Berlin')
  .transform((value) => findTimeZone(value) ?? value)

/** A country: two letters, which are stored as capitals. */
export const Country = z
  .string()
  .refine((value) => /^[A-Za-z]{2}$/.test(value), 'must be a country code of two letters, such as DE')
  .transform((value) => value.toUpperCase())

const localeForm = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i
const longestLanguage = 35
const languageForm = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,7}$/i

/**
 * The present codes of languages that systems still report by an old code (spec: identity/old-language-codes). The replacements are those of CLDR's
 * supplementalMetadata (languageAlias); `java.util.Locale` wrote iw, in and ji until Java 17.
 */
const presentCodes = { iw: 'he', in: 'id', ji: 'yi', mo: 'ro', jw: 'jv', no: 'nb', tl: 'fil' } as const
const presentCodeOf: ReadonlyMap<string, string> = new Map(Object.entries(presentCodes))

/** The old codes of languages and their present codes, in pairs. */
export const oldLanguageCodes: readonly [old: string, present: string][] = Object.entries(presentCodes)

/** Puts the present code in the place of an old one with which a tag begins (`iw-IL` → `he-IL`). The rest of the tag stays as it is. */
export function withPresentCode(tag: string): string {
  const [code = ''] = /^[^-_]*/.exec(tag) ?? []
  const present = presentCodeOf.get(code.toLowerCase())
  return present === undefined ? tag : present + tag.slice(code.length)
}

/** Gives the spellings that a canonical tag may have where it was stored before old codes were replaced: itself first (`he-IL`, `iw-IL`). */
export const namesOfLanguage = (tag: string): string[] => [
  tag,
  ...oldLanguageCodes.flatMap(([old, present]) => (/^[^-]*/.exec(tag)?.[0] === present ? [old + tag.slice(present.length)] : [])),
]

/**
 * Gives a BCP 47 tag of language[-Script][-Region] in canonical form (`PT_br` → `pt-BR`, `iw` → `he`). Undefined for any other text. `_` counts as
 * `-`.
 */
export function canonicalLocale(tag: string): string | undefined {
  const hyphened = tag.replaceAll('_', '-')
  return localeForm.test(hyphened) ? canonical(hyphened) : undefined
}

/** Gives a language tag as `canonicalLocale` does, and also with variants and extensions: devices report tags such as `ca-ES-valencia`. */
export function canonicalLanguage(tag: string): string | undefined {
  const hyphened = tag.replaceAll('_', '-')
  if (hyphened.length > longestLanguage || !languageForm.test(hyphened)) return undefined
  // A present code may be longer than the old one (tl, fil). The result is read again by the services, so it has to be within the limit too.
  const language = canonical(hyphened)
  return language.length <= longestLanguage ? language : undefined
}

const canonical = (tag: string): string => withPresentCode(inCanonicalCase(tag))

/**
 * Writes a tag in the letter case of RFC 5646 2.1.1: scripts in title case, regions in capitals, all other parts and everything after a singleton in
 * small letters.
 */
function inCanonicalCase(tag: string): string {
  let extension = false
  return tag
    .split('-')
    .map((subtag, place) => {
      extension ||= place > 0 && subtag.length === 1
      if (place === 0 || extension) return subtag.toLowerCase()
      if (subtag.length === 2) return subtag.toUpperCase()
      return /^[a-z]{4}$/i.test(subtag) ? subtag[0]!.toUpperCase() + subtag.slice(1).toLowerCase() : subtag.toLowerCase()
    })
    .join('-')
}

export const LanguageTag = z
  .string()
  .refine((value) => canonicalLanguage(value) !== undefined, 'must be a BCP 47 language tag, such as en or pt-BR')
  .transform((value) => canonicalLanguage(value) ?? value)

const tagName = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/

/** Whether a text may be the name of a tag. `__proto__` may not, because many programs treat it specially. */
export const isTagName = (name: string): boolean => tagName.test(name) && name !== '__proto__'

export const TagName = z
  .string()
  .refine(isTagName, 'is not a tag name: 1 to 64 letters, digits or _ . : - (the first a letter, digit or _)')

/**
 * Whether a number is as it was written in the JSON. Beyond ±(2^53 - 1) a reader of JSON may round (RFC 8259, 6): JavaScript reads 9007199254740993 as
 * 9007199254740992, and 1e400 as infinite.
 */
export const isExact = (value: number): boolean => Math.abs(value) <= Number.MAX_SAFE_INTEGER
export const exactSentence = 'must be a number from -9007199254740991 to 9007199254740991; send it as text'

const whyNoTagValue =
  (otherwise: string) =>
  ({ input }: { input?: unknown }): string => {
    if (typeof input === 'number') return exactSentence
    return typeof input === 'string' ? 'must be at most 1024 characters of well-formed text' : otherwise
  }
const ExactNumber = z.number().refine(isExact, exactSentence)

export type TagValue = string | number | boolean
export const TagValue = z.union([text(0, 1024), ExactNumber, z.boolean()], {
  error: whyNoTagValue('must be text, a finite number, true or false'),
})

const maxTags = 100

export const Tags = z.record(TagName, TagValue).refine((tags) => Object.keys(tags).length <= maxTags, `must hold at most ${maxTags} tags`)
export type Tags = z.output<typeof Tags>

/** Changes of a user's tags. They are merged into the user's tags; null deletes a tag. */
export const TagChanges = z
  .record(
    TagName,
    z.union([text(0, 1024), ExactNumber, z.boolean(), z.null()], {
      error: whyNoTagValue('must be text, a finite number, true or false, or null to delete the tag'),
    }),
  )
  .refine((tags) => Object.values(tags).filter((value) => value !== null).length <= maxTags, `must set at most ${maxTags} tags`)
export type TagChanges = z.output<typeof TagChanges>
