import type { QuietHours } from './administration.ts'
import { dateAfter, instantOf, localDateAt } from './local-time.ts'

/**
 * Until when a zone is in quiet hours at an instant, or undefined when it is not (spec: sending/quiet-hours). `start` belongs to them, `end` does
 * not; `end` before `start` means over midnight. Both are local times, so a change of the clocks moves them as it moves a schedule.
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
