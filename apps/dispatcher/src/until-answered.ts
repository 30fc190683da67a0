import { Fault } from '@herald/contracts/fault'

const never = new AbortController().signal

/** Repeats a call until there is an answer, with pauses that grow from 50 ms to 1 s. Undefined when the signal came first. Any other fault is thrown. */
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
