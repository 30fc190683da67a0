import { queueUnavailable } from '@herald/contracts/fault'
import { openAtOnce } from '@herald/service/at-once'
import { openOrder } from './core/in-order.ts'

/**
 * At most this many calls of one key may wait or run. A further one is refused at once, because it would be answered only after its caller has given
 * up.
 */
const mostOfOneKey = 100
/** A caller waits 3 s for an answer. */
const waitMs = 2_500

/** Work that changes devices or users. */
export type PeopleTurns = {
  /** Runs pieces of work with a key in common in the order in which they came. */
  inOrder: ReturnType<typeof openOrder>
  /** Runs work that may wait for a locked row when a connection is free for the app. */
  inTurn: <Answer>(work: () => Promise<Answer>, appId: string) => Promise<Answer>
}

/**
 * Makes a process's turns for changes of devices and users (spec: identity/changes-in-order). At most four of the pool's eight connections wait for
 * locked rows, three for one app: sends and shared commits need the others.
 */
export const openPeopleTurns = (): PeopleTurns => ({
  inOrder: openOrder({ most: mostOfOneKey, waitMs, full: queueUnavailable }),
  inTurn: openAtOnce({ atOnce: 4, share: 3, crowdedShare: 2, mostWaiting: 1_000, waitMs, full: queueUnavailable }),
})
