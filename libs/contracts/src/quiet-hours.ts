import type { QuietHours } from './administration.ts'
import { dateAfter, instantOf, localDateAt } from './local-time.ts'

/**
 * When the quiet hours of a zone end that an instant lies in; undefined when it lies in none (spec: sending/quiet-hours). The minute of `start` belongs to them,
 * that of `end` does not; `end` before `start` means over midnight. Both are local times, so a change of the clocks moves them as it moves a schedule.
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
