import { findTimeZone } from './text.ts'

const dayMs = 86_400_000

/** A formatter costs about 30 µs to make and 30 kB to keep. There are about 600 names of zones; above that the formatter that was used longest ago goes. */
const mostClocks = 600
const clocks = new Map<string, Intl.DateTimeFormat>()

/** A formatter of what the clocks and calendars of a zone show, field by field. There is one for a zone, in whatever letter case its name is written. */
export function clockOf(zone: string): Intl.DateTimeFormat {
  const name = findTimeZone(zone) ?? zone
  const known = clocks.get(name)
  // Taken out and put back, it is the newest.
  clocks.delete(name)
  const clock =
    known ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
  clocks.set(name, clock)
  for (const oldest of clocks.keys()) {
    if (clocks.size <= mostClocks) break
    clocks.delete(oldest)
  }
  return clock
}

/** The offset at an instant, by `Intl`. */
function askOffset(at: number, timeZone: string): number {
  const second = Math.floor(at / 1000) * 1000
  const field: Record<string, number> = {}
  for (const { type, value } of clockOf(timeZone).formatToParts(second)) field[type] = Number(value)
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = field
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second
}

/** By zone, then by day of UTC: the offset of that day, or `changes` when the offset changes within it. */
const days = new Map<string, Map<number, number | 'changes'>>()
/** So many days of all zones together take 3 MB; above that all of them are forgotten. */
const mostDays = 50_000
let knownDays = 0

/**
 * How far a zone's clocks are ahead of UTC at an instant, in milliseconds. `timeZone` is a known IANA name. The offset is remembered by day: asking
 * `Intl` would be nearly all that a date in a push costs (5 of 8 µs), and the dates of a send lie in few days. A day that begins and ends with the
 * same offset has no change in between, because no zone ever went forth and back within one day.
 */
export function zoneOffsetMs(at: number, timeZone: string): number {
  const day = Math.floor(at / dayMs)
  const offset = days.get(timeZone)?.get(day) ?? learnDay(day, timeZone)
  return offset === 'changes' ? askOffset(at, timeZone) : offset
}

function learnDay(day: number, timeZone: string): number | 'changes' {
  const first = askOffset(day * dayMs, timeZone)
  const offset = first === askOffset((day + 1) * dayMs, timeZone) ? first : 'changes'
  if (knownDays++ >= mostDays) {
    days.clear()
    knownDays = 1
  }
  const ofZone = days.get(timeZone) ?? new Map<number, number | 'changes'>()
  days.set(timeZone, ofZone.set(day, offset))
  return offset
}
