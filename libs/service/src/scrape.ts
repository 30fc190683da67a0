import type { DatabaseWatch } from './health.ts'

/** A scrape waits for the database no longer than this: Prometheus gives a whole scrape 10 s, and a slow number is no number. */
const scrapeLimitMs = 1_000

/**
 * Reads from the database for a gauge. Answers undefined when the database is away, when the query fails, and when it takes longer than
 * `limitMs`: a scrape never fails or hangs because of a database. One query at a time: while an earlier one is still unanswered,
 * the answer is undefined, so that scrapes do not fill the pool beside a database that hangs.
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
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), limitMs)
    try {
      return await Promise.race([reading.catch(() => undefined), late])
    } finally {
      clearTimeout(timer)
    }
  }
}
