import { Fault } from '@herald/contracts/fault'

const never = new AbortController().signal

/** Repeats a call while nobody is there to answer it, with a pause of 50 ms growing to 1 s. Undefined: the signal came first. */
export async function untilAnswered<Answer>(call: () => Promise<Answer>, giveUp: AbortSignal = never): Promise<Answer | undefined> {
  for (let pauseMs = 50; !giveUp.aborted; pauseMs = Math.min(pauseMs * 2, 1_000)) {
    try {
      return await call()
    } catch (error) {
      if (!Fault.is(error, 'queue_unavailable') && !Fault.is(error, 'database_unavailable')) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return undefined
}
