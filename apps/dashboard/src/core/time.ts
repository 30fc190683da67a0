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

/**
 * Writes a time in the browser's zone with the day as people say it: "today, 12:03", "yesterday, 12:03", "tomorrow, 09:00", else as `localTime`. `now`
 * is in milliseconds.
 */
export function dayTime(at: number | string | Date, now: number, precise = false): string {
  const instant = new Date(at)
  const days = Math.round((startOfDay(instant) - startOfDay(new Date(now))) / 86_400_000)
  if (Math.abs(days) > 1) return localTime(at, precise)
  return `${ago.format(days, 'day')}, ${(precise ? clock : minute).format(instant)}`
}

// Where clocks change, a day has 23 or 25 hours, so the difference of two is rounded.
const startOfDay = (at: Date): number => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()

/** Gives how many milliseconds after `now` the next day begins in the browser's zone. */
export function untilTomorrow(now: number): number {
  const at = new Date(now)
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1).getTime() - now
}

/** Names the browser's zone with its distance from UTC at `now`: "Europe/Berlin (GMT+1)". */
export function zoneText(now: number): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(now)
  return `${timeZone} (${parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''})`
}

/** Writes the instants of a sentence of Herald's, which are in UTC, in the browser's zone. */
export const withLocalTimes = (sentence: string): string =>
  sentence.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) => localTime(at))

/** Writes a time in UTC: 2026-11-03 11:03:04 UTC. */
export const utcTime = (at: number | string | Date): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

const dayAndMonth = { day: 'numeric', month: 'short' } as const
const ofDay = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** Writes the marks of a chart's axis, in seconds, `step` apart: the day where one begins, else the time of day, as everywhere on the page. */
export function axisTimes(seconds: readonly number[], step: number, timeZone?: string): string[] {
  const zone = timeZone === undefined ? {} : { timeZone }
  const [days, times] = [
    new Intl.DateTimeFormat(undefined, { ...dayAndMonth, ...zone }),
    new Intl.DateTimeFormat(undefined, { ...ofDay, ...(step < 60 && { second: '2-digit' }), ...zone }),
  ]
  return seconds.map((at, place) => {
    const [day, before] = [at, seconds[place - 1] ?? at].map((one) => days.format(one * 1_000))
    return step >= 86_400 || day !== before ? (day ?? '') : times.format(at * 1_000)
  })
}

/** Writes how far a time is from `now`, which is in milliseconds: "3 minutes ago", "in 2 days". */
export function agoOf(at: number | string | Date, now: number): string {
  const seconds = (new Date(at).getTime() - now) / 1000
  for (const [unit, size] of units) if (Math.abs(seconds) >= size) return ago.format(Math.trunc(seconds / size), unit)
  return Math.abs(seconds) < 5 ? 'just now' : ago.format(Math.trunc(seconds), 'second')
}
