import type { DatabaseWatch } from './health.ts'
import { waitAtMost } from './wait-at-most.ts'

/** A scrape waits at most this long for one number from the database. It is far less than the 10 s that Prometheus gives a whole scrape. */
const scrapeLimitMs = 1_000

/**
 * Makes a function that reads a gauge's number from the database. Undefined when the database is away, the query fails or takes over `limitMs`, or an
 * earlier query still runs, so that scrapes neither hang nor use up the pool.
 */
export function readForScrape<T>(watch: DatabaseWatch, read: () => Promise<T>, limitMs = scrapeLimitMs): () => Promise<T | undefined> {
  let isReading = false
  return async () => {
    if (isReading || !watch.up) return undefined
    isReading = true
    const reading = watch.guard(async () => {
      try {
        return await read()
      } finally {
        isReading = false
      }
    })
    const number = reading.catch(() => undefined)
    return waitAtMost(limitMs, number, () => undefined)
  }
}

/**
 * The label `scope` of a gauge that tells the same of the whole installation in every process: a sum over processes would be too high, so rules and
 * boards take its `max`.
 */
export const scope = 'global'
