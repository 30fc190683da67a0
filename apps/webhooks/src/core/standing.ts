import { failuresToDisable, type PostAnswer, type Verdict } from './retry.ts'

/** How an endpoint stands after its attempts. `isSwitchedOff`: by its failures, just now. */
export type Standing = { failures: number; isEnabled: boolean; isSwitchedOff: boolean; last: PostAnswer | null }

/**
 * What an attempt says about its endpoint. A 2xx forgets the failures; an exhausted delivery counts, and the 50th in a row switches the
 * endpoint off; a retry or a final refusal counts nothing.
 */
export function standingAfter(before: Standing, answer: PostAnswer, verdict: Verdict['is']): Standing {
  const failures = verdict === 'delivered' ? 0 : before.failures + (verdict === 'exhausted' ? 1 : 0)
  const isDone = verdict === 'exhausted' && before.isEnabled && failures >= failuresToDisable
  return { failures, isEnabled: before.isEnabled && !isDone, isSwitchedOff: before.isSwitchedOff || isDone, last: answer }
}
