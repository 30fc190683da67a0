import { findTimeZone } from './text.ts'

/** A formatter costs about 30 µs to make and 30 kB to keep. There are some 600 names of zones; who is used longest ago goes. */
const most = 600
const clocks = new Map<string, Intl.DateTimeFormat>()

/** What the clocks and calendars of a zone show, field by field. However a name is spelt, there is one formatter for it. */
export function clockOf(zone: string): Intl.DateTimeFormat {
  const name = findTimeZone(zone) ?? zone
  const known = clocks.get(name)
  // Taken out and put back, it is the newest.
  clocks.delete(name)
  const clock =
    known ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
  clocks.set(name, clock)
  for (const oldest of clocks.keys()) {
    if (clocks.size <= most) break
    clocks.delete(oldest)
  }
  return clock
}
