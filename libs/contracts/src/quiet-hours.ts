import type { QuietHours } from './administration.ts'
import { dateAfter, instantOf, localDateAt } from './local-time.ts'

/**
 * Gives the end of the quiet hours in which an instant lies; undefined when in none (spec: sending/quiet-hours). The minute of `start` is quiet, that
 * of `end` is not; they may last over midnight. `instantOf` handles clock changes.
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
