import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@herald/contracts/fault'

/**
 * Repeats a call after queue_unavailable and database_unavailable, with pauses from 50 ms to 1 s, give or take a half, so that batches' repeats do
 * not meet. Gives undefined when the signal comes first; throws other errors.
 */
export async function untilAnswered<Answer>(call: () => Promise<Answer>, giveUp: AbortSignal): Promise<Answer | undefined> {
  for (let pauseMs = 50; !giveUp.aborted; pauseMs = Math.min(pauseMs * 2, 1_000)) {
    try {
      return await call()
    } catch (error) {
      if (!Fault.is(error, 'queue_unavailable') && !Fault.is(error, 'database_unavailable')) throw error
    }
    await sleep(pauseMs * (0.5 + Math.random()))
  }
  return undefined
}
