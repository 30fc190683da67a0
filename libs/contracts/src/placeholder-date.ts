import { findTimeZone, firstCodePoints, parseTimestamp } from './text.ts'
import { zoneOffsetMs } from './zone-offset.ts'

/** A value that a placeholder's filters read and give. A missing value is null or undefined; an infinite number or NaN counts as missing too. */
export type Value = string | number | boolean | null | undefined

/** `most`: how many characters of a filter's result are used. */
export type FilterContext = { timeZone: string; now: Date | undefined; most: number }

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']
const usualFormat = '%A, %B %-e, %Y at %-l:%M %P %z'

/**
 * Formats a date as Liquid's `date` does, with strftime, in the user's zone or the given one. Takes ISO 8601, Unix seconds, `now` or `today`. A date
 * without a zone is not moved. Other values stay unchanged.
 */
export function formatDate(value: Value, format: string | undefined, zone: string, context: FilterContext): Value {
  const wall = typeof value === 'string' ? parseWallTime(value) : undefined
  const at = wall ?? readInstant(value, context.now)
  if (at === undefined) return value
  const timeZone = wall === undefined ? (findTimeZone(zone) ?? findTimeZone(context.timeZone) ?? 'UTC') : 'UTC'
  return strftime(inZone(at, timeZone), format === undefined ? usualFormat : firstCodePoints(format, longestFormat))
}

const wallTime = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?(?:\.\d{1,9})?))?$/

function parseWallTime(text: string): Date | undefined {
  const [, day, time] = wallTime.exec(text) ?? []
  return day === undefined ? undefined : parseTimestamp(`${day}T${time ?? '00:00'}Z`)
}

function readInstant(value: Value, now: Date | undefined): Date | undefined {
  if (value === 'now' || value === 'today') return now
  if (typeof value === 'number' || (typeof value === 'string' && /^\d{1,12}$/.test(value))) return validDate(Number(value) * 1000)
  return typeof value === 'string' ? parseTimestamp(value) : undefined
}

/** A number counts as a date only when, as Unix seconds, it lies in the years 1000 to 9999. */
const [firstInstant, lastInstant] = [Date.UTC(1000, 0, 1), Date.UTC(9999, 11, 31)]

const validDate = (milliseconds: number): Date | undefined =>
  milliseconds >= firstInstant && milliseconds <= lastInstant ? new Date(milliseconds) : undefined

/** A moment in a time zone. `wall` holds the local date and time in its UTC fields. */
type LocalTime = { at: Date; wall: Date; timeZone: string }

function inZone(at: Date, timeZone: string): LocalTime {
  return { at, wall: new Date(at.getTime() + zoneOffsetMs(at.getTime(), timeZone)), timeZone }
}

/** The width to which a conversion is filled when the format names no width. */
const usualWidth: ReadonlyMap<string, number> = new Map([
  ...'CdeHIklmMSUWy'.split('').map((letter) => [letter, 2] as const),
  ['j', 3],
  ['L', 3],
  ['Y', 4],
])
/** These conversions are filled with spaces, all others with zeros. */
const filledWithSpaces = new Set('aAbBceklpP')
/** Of a format this many characters are read. A longer one, which may come from a user's tag, would be parsed again for each push. */
const longestFormat = 100
/** A formatted date ends with the part that reaches this many characters. */
const longestDate = 250
/** The widest that a part of a date may be. A format that asks for more would only use up memory. */
const greatestWidth = 100

const directive = /%([-_0^#:]*)(\d*)[EO]?([^\n])/g

type Directive = { written: string; flags: string; width: number; letter: string }

const formats = new Map<string, (string | Directive)[]>()

/**
 * Splits a format into texts and conversions. Results are remembered, because a template's format is used for many pushes, and bounded, because a
 * user's tag may be a format too.
 */
function piecesOf(format: string): (string | Directive)[] {
  const known = formats.get(format)
  if (known !== undefined) return known
  const pieces: (string | Directive)[] = []
  let end = 0
  for (const { 0: whole, 1: flags = '', 2: digits = '', 3: letter = '', index } of format.matchAll(directive)) {
    pieces.push(format.slice(end, index))
    const shorthand = shorthands.get(letter)
    if (shorthand === undefined) pieces.push({ written: whole, flags, width: Math.min(Number(digits), greatestWidth), letter })
    else pieces.push(...piecesOf(shorthand))
    end = index + whole.length
  }
  pieces.push(format.slice(end))
  if (formats.size >= 200) formats.clear()
  formats.set(format, pieces)
  return pieces
}

function strftime(time: LocalTime, format: string): string {
  let text = ''
  for (const piece of piecesOf(format)) {
    text += typeof piece === 'string' ? piece : written(time, piece)
    if (text.length >= longestDate) break
  }
  return text
}

function written(time: LocalTime, wanted: Directive): string {
  const text = convert(time, wanted)
  return text === undefined ? wanted.written : padded(wanted.flags === '' ? text : inCase(text, wanted.flags), wanted)
}

function inCase(text: string, flags: string): string {
  if (flags.includes('^')) return text.toUpperCase()
  if (!flags.includes('#')) return text
  return /[a-z]/.test(text) ? text.toUpperCase() : text.toLowerCase()
}

function padded(text: string, { flags, width, letter }: Directive): string {
  if (flags.includes('-')) return text
  const isSpaced = flags.includes('_') || (filledWithSpaces.has(letter) && !flags.includes('0'))
  const length = width > 0 ? width : (usualWidth.get(letter) ?? 0)
  if (!isSpaced && text.startsWith('-')) return `-${text.slice(1).padStart(length - 1, '0')}`
  return text.padStart(length, isSpaced ? ' ' : '0')
}

const shorthands: ReadonlyMap<string, string> = new Map([
  ['D', '%m/%d/%y'],
  ['F', '%Y-%m-%d'],
  ['R', '%H:%M'],
  ['T', '%H:%M:%S'],
  ['X', '%-l:%M:%S %p'],
  ['x', '%-m/%-d/%Y'],
  ['c', '%-m/%-d/%Y, %-l:%M:%S %p'],
])

/** Gives the text of a conversion before it is filled to its width. Undefined for an unknown conversion. */
function convert({ at, wall, timeZone }: LocalTime, { flags, width, letter }: Directive): string | undefined {
  const weekday = wall.getUTCDay()
  const hour = wall.getUTCHours()
  const hourOf12 = hour % 12 === 0 ? 12 : hour % 12
  const dayOfYear =
    Math.floor(
      (Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()) - Date.UTC(wall.getUTCFullYear(), 0, 1)) / 86_400_000,
    ) + 1
  switch (letter) {
    case 'a':
      return days[weekday]!.slice(0, 3)
    case 'A':
      return days[weekday]!
    case 'b':
    case 'h':
      return months[wall.getUTCMonth()]!.slice(0, 3)
    case 'B':
      return months[wall.getUTCMonth()]!
    case 'C':
      return String(Math.floor(wall.getUTCFullYear() / 100))
    case 'd':
      return String(wall.getUTCDate())
    case 'e':
      return String(wall.getUTCDate())
    case 'H':
      return String(hour)
    case 'I':
      return String(hourOf12)
    case 'j':
      return String(dayOfYear)
    case 'k':
      return String(hour)
    case 'l':
      return String(hourOf12)
    case 'L':
      return String(wall.getUTCMilliseconds())
    case 'm':
      return String(wall.getUTCMonth() + 1)
    case 'M':
      return String(wall.getUTCMinutes())
    case 'N':
      return fraction(wall.getUTCMilliseconds(), width === 0 ? 9 : width)
    case 'p':
      return hour < 12 ? 'AM' : 'PM'
    case 'P':
      return hour < 12 ? 'am' : 'pm'
    case 'q':
      return ordinalEnding(wall.getUTCDate())
    case 's':
      return String(Math.floor(at.getTime() / 1000))
    case 'S':
      return String(wall.getUTCSeconds())
    case 'u':
      return String(weekday === 0 ? 7 : weekday)
    case 'U':
      return String(Math.floor((dayOfYear + 6 - weekday) / 7))
    case 'w':
      return String(weekday)
    case 'W':
      return String(Math.floor((dayOfYear + 6 - ((weekday + 6) % 7)) / 7))
    case 'y':
      return String(wall.getUTCFullYear() % 100)
    case 'Y':
      return String(wall.getUTCFullYear())
    case 'z':
      return offsetOf(at, wall, flags.includes(':'))
    case 'Z':
      return timeZone
    case 't':
      return '\t'
    case 'n':
      return '\n'
    case '%':
      return '%'
    default:
      return undefined
  }
}

const fraction = (milliseconds: number, digits: number): string =>
  String(milliseconds).padStart(3, '0').slice(0, digits).padEnd(digits, '0')

function offsetOf(at: Date, wall: Date, withColon: boolean): string {
  const minutes = Math.round((wall.getTime() - at.getTime()) / 60_000)
  const size = Math.abs(minutes)
  const [hours, rest] = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'))
  return `${minutes < 0 ? '-' : '+'}${hours}${withColon ? ':' : ''}${rest}`
}

function ordinalEnding(day: number): string {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}
