import { findTimeZone, parseTimestamp } from './text.ts'
import type { FilterContext, Value } from './placeholder-filter.ts'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']
const usualFormat = '%A, %B %-e, %Y at %-l:%M %P %z'

/**
 * Liquid's `date`: strftime in the user's zone (or the zone given as second argument). Takes an ISO 8601 time, Unix seconds, `now` or
 * `today`. A date without a zone ("1990-05-04", a birthday) is a day on the wall and not shifted. Anything else comes out unchanged.
 */
export function formatDate(value: Value, format: string, zone: string, context: FilterContext): Value {
  const wall = typeof value === 'string' ? parseWallTime(value) : undefined
  const at = wall ?? readInstant(value, context.now)
  if (at === undefined) return value
  const timeZone = wall === undefined ? (findTimeZone(zone) ?? findTimeZone(context.timeZone) ?? 'UTC') : 'UTC'
  return strftime(inZone(at, timeZone), format === '' ? usualFormat : format)
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

function validDate(milliseconds: number): Date | undefined {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** A moment as the clock on the wall shows it: `wall` holds the local fields as if they were UTC. */
type LocalTime = { at: Date; wall: Date; timeZone: string }

const formatters = new Map<string, Intl.DateTimeFormat>()

/** A formatter costs about 30 µs to make and 2 µs to use, so they are kept; there are some 600 zones in all. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (formatters.size > 1000) formatters.clear()
  formatters.set(timeZone, made)
  return made
}

function inZone(at: Date, timeZone: string): LocalTime {
  const field: Record<string, number> = {}
  for (const { type, value } of formatterOf(timeZone).formatToParts(at)) field[type] = Number(value)
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = field
  const wall = new Date(Date.UTC(year, month - 1, day, hour, minute, second, at.getUTCMilliseconds()))
  return { at, wall, timeZone }
}

/** What a conversion gives, with the width and filling it has by itself. */
type Conversion = { value: string | number; width?: number; fill?: string }

const directive = /%([-_0^#]*)(\d{0,2})([a-zA-Z%])/g

function strftime(time: LocalTime, format: string): string {
  return format.replace(directive, (written: string, flags: string, width: string, letter: string) => {
    const shorthand = shorthands.get(letter)
    if (shorthand !== undefined) return strftime(time, shorthand)
    const conversion = convert(time, letter)
    if (conversion === undefined) return written
    let text = String(conversion.value)
    if (flags.includes('^')) text = text.toUpperCase()
    if (flags.includes('#')) text = text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
    const fill = flags.includes('_')
      ? ' '
      : flags.includes('0')
        ? '0'
        : (conversion.fill ?? (typeof conversion.value === 'number' ? '0' : ' '))
    const wanted = width === '' ? (conversion.width ?? 0) : Number(width)
    return flags.includes('-') ? text : text.padStart(wanted, fill)
  })
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

function convert({ at, wall, timeZone }: LocalTime, letter: string): Conversion | undefined {
  const weekday = wall.getUTCDay()
  const hour = wall.getUTCHours()
  const hourOf12 = hour % 12 === 0 ? 12 : hour % 12
  const dayOfYear =
    Math.floor(
      (Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()) - Date.UTC(wall.getUTCFullYear(), 0, 1)) / 86_400_000,
    ) + 1
  switch (letter) {
    case 'a':
      return { value: days[weekday]!.slice(0, 3) }
    case 'A':
      return { value: days[weekday]! }
    case 'b':
    case 'h':
      return { value: months[wall.getUTCMonth()]!.slice(0, 3) }
    case 'B':
      return { value: months[wall.getUTCMonth()]! }
    case 'C':
      return { value: Math.floor(wall.getUTCFullYear() / 100), width: 2 }
    case 'd':
      return { value: wall.getUTCDate(), width: 2 }
    case 'e':
      return { value: wall.getUTCDate(), width: 2, fill: ' ' }
    case 'H':
      return { value: hour, width: 2 }
    case 'I':
      return { value: hourOf12, width: 2 }
    case 'j':
      return { value: dayOfYear, width: 3 }
    case 'k':
      return { value: hour, width: 2, fill: ' ' }
    case 'l':
      return { value: hourOf12, width: 2, fill: ' ' }
    case 'L':
      return { value: wall.getUTCMilliseconds(), width: 3 }
    case 'm':
      return { value: wall.getUTCMonth() + 1, width: 2 }
    case 'M':
      return { value: wall.getUTCMinutes(), width: 2 }
    case 'N':
      return { value: `${String(wall.getUTCMilliseconds()).padStart(3, '0')}000000` }
    case 'p':
      return { value: hour < 12 ? 'AM' : 'PM' }
    case 'P':
      return { value: hour < 12 ? 'am' : 'pm' }
    case 'q':
      return { value: ordinalEnding(wall.getUTCDate()) }
    case 's':
      return { value: Math.floor(at.getTime() / 1000) }
    case 'S':
      return { value: wall.getUTCSeconds(), width: 2 }
    case 'u':
      return { value: weekday === 0 ? 7 : weekday }
    case 'U':
      return { value: Math.floor((dayOfYear + 6 - weekday) / 7), width: 2 }
    case 'w':
      return { value: weekday }
    case 'W':
      return { value: Math.floor((dayOfYear + 6 - ((weekday + 6) % 7)) / 7), width: 2 }
    case 'y':
      return { value: wall.getUTCFullYear() % 100, width: 2 }
    case 'Y':
      return { value: wall.getUTCFullYear(), width: 4 }
    case 'z':
      return { value: offsetOf(at, wall) }
    case 'Z':
      return { value: timeZone }
    case 't':
      return { value: '\t' }
    case 'n':
      return { value: '\n' }
    case '%':
      return { value: '%' }
    default:
      return undefined
  }
}

function offsetOf(at: Date, wall: Date): string {
  const minutes = Math.round((wall.getTime() - at.getTime()) / 60_000)
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}${String(size % 60).padStart(2, '0')}`
}

function ordinalEnding(day: number): string {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}
