import { zoneOffsetMs } from './zone-offset.ts'

const day = 86_400_000

/** Gives the date of an instant in a zone, YYYY-MM-DD. */
export const localDateAt = (instant: Date, zone: string): string =>
  new Date(instant.getTime() + zoneOffsetMs(instant.getTime(), zone)).toISOString().slice(0, 10)

/**
 * Gives the instant of a local time (`YYYY-MM-DD`, `HH:MM`) in a zone. A skipped time moves forward by as much as the clocks; a repeated one means
 * the first instant (spec: campaigns/clock-changes; RFC 5545, 3.3.5).
 */
export function instantOf(date: string, time: string, zone: string): Date {
  const wanted = Date.parse(`${date}T${time}:00Z`)
  // No zone changes its offset twice within two days, so these are the offsets before and after a change near this time.
  const before = zoneOffsetMs(wanted - day, zone)
  const after = zoneOffsetMs(wanted + day, zone)
  const [first] = [wanted - before, wanted - after]
    .filter((at) => at + zoneOffsetMs(at, zone) === wanted)
    .toSorted((one, other) => one - other)
  return new Date(first ?? wanted - before)
}

/** Gives the date `days` after another date, YYYY-MM-DD. */
export const dateAfter = (date: string, days: number): string => new Date(Date.parse(date) + days * day).toISOString().slice(0, 10)

/** Gives the day of the week of a date; 0 is Sunday. */
export const weekdayOf = (date: string): number => new Date(date).getUTCDay()

/**
 * Gives the first instant later than `after` at which the clocks of a zone show a local time (`HH:MM`). spec: campaigns/clock-changes says what
 * happens to a time that the clocks skip or show twice.
 */
export function nextInstantOf(time: string, zone: string, after: Date): Date {
  const today = localDateAt(after, zone)
  // Yesterday's occurrence may still lie ahead when a clock change moved it over midnight; tomorrow's is the next when today's has passed.
  for (const days of [-1, 0, 1]) {
    const at = instantOf(dateAfter(today, days), time, zone)
    if (at > after) return at
  }
  return instantOf(dateAfter(today, 2), time, zone)
}
