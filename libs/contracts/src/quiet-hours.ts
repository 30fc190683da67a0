import type { QuietHours } from './administration.ts'
import { dateAfter, instantOf, localDateAt } from './local-time.ts'

/**
 * Gives the end of the quiet hours in which an instant lies; undefined when it lies in none (spec: sending/quiet-hours). The minute of `start` is
 * quiet, the minute of `end` is not. When `end` is before `start`, the hours last over midnight. When the clocks of the zone skip `start` or `end`,
 * or show it twice, `instantOf` says when it is.
 */
export function quietUntil({ start, end }: Pick<QuietHours, 'start' | 'end'>, zone: string, at: Date): Date | undefined {
  const today = localDateAt(at, zone)
  for (const day of [dateAfter(today, -1), today]) {
    const begins = instantOf(day, start, zone)
    const ends = instantOf(end > start ? day : dateAfter(day, 1), end, zone)
    if (begins <= at && at < ends) return ends
  }
  return undefined
}
