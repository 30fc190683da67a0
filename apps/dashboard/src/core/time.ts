const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Writes a time of day in the browser's zone: 12:03:04. */
export const clockTime = (at: number | string | Date): string => clock.format(new Date(at))

/** Writes a time in the browser's zone: 3 Nov 2026, 12:03; with seconds when `precise`. */
export const localTime = (at: number | string | Date, precise = false): string => {
  const instant = new Date(at)
  return `${day.format(instant)}, ${(precise ? clock : minute).format(instant)}`
}

/** Writes a time in UTC: 2026-11-03 11:03:04 UTC. */
export const utcTime = (at: number | string | Date): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** Writes how far a time is from `now`, which is in milliseconds: "3 minutes ago", "in 2 days". */
export function agoOf(at: number | string | Date, now: number): string {
  const seconds = (new Date(at).getTime() - now) / 1000
  for (const [unit, size] of units) if (Math.abs(seconds) >= size) return ago.format(Math.trunc(seconds / size), unit)
  return Math.abs(seconds) < 5 ? 'just now' : ago.format(Math.trunc(seconds), 'second')
}
