import { tooManyReads } from '@herald/contracts/fault'
import { openAtOnce } from '@herald/service/at-once'

/** Does work when there is a place for the app. Fault: rate_limited when there was none in time. */
type Places = <Answer>(work: () => Promise<Answer>, appId: string) => Promise<Answer>

/**
 * Limits how many requests that read much run at once in this process (spec: limits/heavy-reads). Dry runs and exports have places of their own, so
 * that exports whose clients read slowly leave dry runs their places.
 */
export type HeavyReads = { dryRuns: Places; exports: Places }

/** Each app has one of four places. A request waits for a place for 2 s, and apps take turns. */
const openPlaces = (): Places => openAtOnce({ atOnce: 4, share: 1, mostWaiting: 50, waitMs: 2_000, full: () => tooManyReads(2) })

export const openHeavyReads = (): HeavyReads => ({ dryRuns: openPlaces(), exports: openPlaces() })

/** Gives the same parts, and keeps a place for the app from the first part to the last. Fault: rate_limited when there is no place in time. */
export async function* inPlaceOf<Part>(places: Places, appId: string, parts: AsyncGenerator<Part>): AsyncGenerator<Part, void, undefined> {
  const { promise: done, resolve: leave } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin, reject } = Promise.withResolvers<void>()
  places(async () => {
    begin()
    await done
  }, appId).catch(reject)
  await begun
  try {
    yield* parts
  } finally {
    leave()
  }
}
