/** A server may ask with Retry-After for a wait of at most this long. */
const longestMs = 3_600_000

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const [day, month, clock] = ['(?<day>\\d\\d)', `(?<month>${months.join('|')})`, '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)']
/** The three forms of a date that a recipient must accept (RFC 9110 5.6.7): IMF-fixdate, and the obsolete forms of RFC 850 and of asctime. */
const dateForms = [
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ${day} ${month} (?<year>\\d{4}) ${clock} GMT$`),
  new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, ${day}-${month}-(?<year>\\d\\d) ${clock} GMT$`),
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} (?<day>\\d\\d| \\d) ${clock} (?<year>\\d{4})$`),
]

/**
 * Reads `Retry-After` in its two forms (RFC 9110 10.2.3): whole seconds, or a date. Gives milliseconds from `now`, from 0 to an hour; null for
 * anything else.
 */
export function retryAfterMs(header: unknown, now: Date): number | null {
  if (typeof header !== 'string') return null
  const text = header.replaceAll(/^[ \t]+|[ \t]+$/g, '')
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : msUntil(text, now)
  return ms === null ? null : Math.min(Math.max(ms, 0), longestMs)
}

function msUntil(text: string, now: Date): number | null {
  for (const form of dateForms) {
    const parts = form.exec(text)?.groups
    if (!parts) continue
    const [dayOfMonth, hour, minute, second] = [
      Number(parts['day']),
      Number(parts['hour']),
      Number(parts['minute']),
      Number(parts['second']),
    ]
    const year = yearOf(parts['year'] ?? '', now)
    const date = new Date(0)
    // Unlike Date.UTC this takes the years 0 to 99 as they are.
    date.setUTCFullYear(year, months.indexOf(parts['month'] ?? ''), dayOfMonth)
    // A minute may have a leap second. A day that its month does not have, such as 30 February, becomes another day.
    if (hour > 23 || minute > 59 || second > 60 || date.getUTCDate() !== dayOfMonth) return null
    return date.setUTCHours(hour, minute, second) - now.getTime()
  }
  return null
}

/** Gives the year of a date. A year of two digits is never more than 50 years in the future (RFC 9110 5.6.7). */
function yearOf(digits: string, now: Date): number {
  if (digits.length === 4) return Number(digits)
  const thisYear = now.getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}
