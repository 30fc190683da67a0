import { clockOf } from './zone-clock.ts'

const dayMs = 86_400_000

/** The offset at an instant, asked of `Intl`. */
function askOffset(at: number, timeZone: string): number {
  const second = Math.floor(at / 1000) * 1000
  const field: Record<string, number> = {}
  for (const { type, value } of clockOf(timeZone).formatToParts(second)) field[type] = Number(value)
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = field
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second
}

/** By zone, then day of UTC: the day's offset, or `changes` when it is not one all day. */
const days = new Map<string, Map<number, number | 'changes'>>()
/** Over all zones, 3 MB; then begun anew. */
const mostDays = 50_000
let knownDays = 0

/**
 * How far a zone's clocks are ahead of UTC at an instant, in milliseconds. Remembered by day, since asking `Intl` would be nearly all
 * that a date in a push costs (5 of 8 µs) and a send's dates lie in few days. A day that begins and ends with the same offset has no
 * change in between: no zone ever went forth and back within one. `timeZone`: a known IANA name.
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
