import { zoneOffsetMs } from './zone-offset.ts'

const day = 86_400_000

/** The date that a zone's calendars show at an instant, YYYY-MM-DD. */
export const localDateAt = (instant: Date, zone: string): string =>
  new Date(instant.getTime() + zoneOffsetMs(instant.getTime(), zone)).toISOString().slice(0, 10)

/**
 * The instant of a local time (`YYYY-MM-DD`, `HH:MM`) in a zone. A time that the clocks jump over is shifted by the jump; one
 * that they show twice is its first occurrence (spec: campaigns/clock-changes; the rule of RFC 5545, 3.3.5).
 */
export function instantOf(date: string, time: string, zone: string): Date {
  const wanted = Date.parse(`${date}T${time}:00Z`)
  // No zone changes twice within two days, so these are the offsets before and after any change near by.
  const before = zoneOffsetMs(wanted - day, zone)
  const after = zoneOffsetMs(wanted + day, zone)
  const [first] = [wanted - before, wanted - after]
    .filter((at) => at + zoneOffsetMs(at, zone) === wanted)
    .toSorted((one, other) => one - other)
  return new Date(first ?? wanted - before)
}

/** The date `days` after another, YYYY-MM-DD. */
export const dateAfter = (date: string, days: number): string => new Date(Date.parse(date) + days * day).toISOString().slice(0, 10)

/** The day of the week of a date; 0 is Sunday. */
export const weekdayOf = (date: string): number => new Date(date).getUTCDay()

/**
 * The first instant after `after` at which the clocks of a zone come to a local time (`HH:MM`). `after` itself counts as past.
 * spec: campaigns/clock-changes says what happens to a time that the clocks jump over or show twice.
 */
export function nextInstantOf(time: string, zone: string, after: Date): Date {
  const today = localDateAt(after, zone)
  // Yesterday's occurrence may lie ahead when a jump shifted it over midnight; tomorrow's when today's has passed.
  for (const days of [-1, 0, 1]) {
    const at = instantOf(dateAfter(today, days), time, zone)
    if (at > after) return at
  }
  return instantOf(dateAfter(today, 2), time, zone)
}
