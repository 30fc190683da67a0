import type { Schedule } from '@herald/contracts/campaign'
import { dateAfter, localDateAt, weekdayOf } from '@herald/contracts/local-time'
import { occurrencesBetween } from '@herald/contracts/occurrences'

/** A campaign that is still to come, as the list answers it. */
export type Coming = {
  id: string
  name: string
  status: string
  schedule: Schedule | null
  nextAt: string | null
  createdAt: string
  startedAt: string | null
  /** Herald's list of the runs. Only a recurrence that ends after a number of runs has it, because only Herald knows how many it has made. */
  runs?: readonly string[] | undefined
}
/** What goes out at an instant. `repeats`: it is one of several of a recurrence. */
export type CalendarEntry = { id: string; name: string; at: Date; repeats: boolean; paused: boolean }

/** Gives the dates of the whole weeks, Monday to Sunday, that a month such as 2026-12 is in. */
export function datesOf(month: string): string[] {
  const first = `${month}-01`
  // Sunday is 0; the weeks begin on Monday.
  const before = (weekdayOf(first) + 6) % 7
  const dates: string[] = []
  for (let date = dateAfter(first, -before); date < monthAfter(month, 1) || dates.length % 7 !== 0; date = dateAfter(date, 1))
    dates.push(date)
  return dates
}

export function monthAfter(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const months = year * 12 + number - 1 + by
  return `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`
}

/** Gives what goes out between two instants and is still to come, in order: each occurrence of a recurrence, and the beginning of any other. */
export function entriesOf(campaigns: readonly Coming[], { from, to, now }: { from: Date; to: Date; now: Date }): CalendarEntry[] {
  const begin = from > now ? from : now
  return campaigns
    .flatMap(({ id, name, status, schedule, nextAt, createdAt, startedAt, runs }): CalendarEntry[] => {
      const entry = { id, name, paused: status === 'paused' }
      if (runs !== undefined)
        return runs.map((run) => ({ ...entry, at: new Date(run), repeats: true })).filter(({ at }) => at >= begin && at <= to)
      if (schedule?.type === 'recurring')
        return occurrencesBetween(schedule, new Date(startedAt ?? createdAt), begin, to).map(({ at }) => ({ ...entry, at, repeats: true }))
      const at = new Date(nextAt ?? Number.NaN)
      return at >= begin && at <= to ? [{ ...entry, at, repeats: false }] : []
    })
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
}

/** Gives the entries by their dates in a zone. */
export const byDate = (entries: readonly CalendarEntry[], zone: string): Map<string, CalendarEntry[]> =>
  Map.groupBy(entries, ({ at }) => localDateAt(at, zone))
