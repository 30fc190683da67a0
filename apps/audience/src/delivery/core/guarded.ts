import type { Decided, FinishBatch } from '@herald/contracts/batch'
import type { Verdict } from './circuit.ts'

/** A finish whose refused tokens, or pushes without an answer, have become what they come to: `decided` are failures for the ledger. */
export type Settled = Pick<FinishBatch, 'dead' | 'retries'> & { decided: Decided[] }

const laterByMs = 1_000

/** Later than the rest of a batch: in a batch of their own, so that the next probe asks another device. */
const afterTheRest = (retries: FinishBatch['retries']): number => Math.max(0, ...retries.map(({ retryInMs }) => retryInMs)) + laterByMs

/** What a verdict makes of a finish's refused tokens. To be tried again they have made no try, and come back later than the rest of their batch. */
export function settleGuarded({ guarded, dead, retries }: FinishBatch, verdict: Verdict): Settled {
  if (guarded.length === 0) return { dead, retries, decided: [] }
  if (verdict === 'retry') {
    const retryInMs = afterTheRest(retries)
    const again = guarded.map(({ place, subscriptionId, userId, tries, code, providerCode }) => {
      return { place, subscriptionId, userId, tries: tries - 1, retryInMs, code, providerCode }
    })
    return { dead, retries: [...retries, ...again], decided: [] }
  }
  const invalid = guarded.map(({ subscriptionId, userId, tokenVersion, agoMs, code }) => {
    return { subscriptionId, userId, tokenVersion, agoMs, deadSince: null, code }
  })
  return { dead: verdict === 'dead' ? [...dead, ...invalid] : dead, retries, decided: guarded.map(failed) }
}

/**
 * What becomes of pushes that the provider was not there for. While their circuit is open they have made no try and go at once to where
 * they are held, after the rest of their batch when it was a probe; else they come back in their time, or have failed without one.
 */
export function settleUnavailable(
  { unavailable, retries }: Pick<FinishBatch, 'unavailable' | 'retries'>,
  isOpen: (environment: FinishBatch['unavailable'][number]['environment']) => boolean,
  isProbe: boolean,
): Pick<Settled, 'retries' | 'decided'> {
  const heldInMs = isProbe ? afterTheRest(retries) : 0
  const again: FinishBatch['retries'] = []
  const decided: Decided[] = []
  for (const push of unavailable) {
    const { place, subscriptionId, userId, environment, tries, retryInMs, agoMs, code, providerCode } = push
    if (isOpen(environment)) again.push({ place, subscriptionId, userId, tries: tries - 1, retryInMs: heldInMs, code, providerCode })
    else if (retryInMs !== null) again.push({ place, subscriptionId, userId, tries, retryInMs, agoMs, code, providerCode })
    else decided.push(failed(push))
  }
  return { retries: [...retries, ...again], decided }
}

type Failed = Pick<
  FinishBatch['guarded'][number],
  'place' | 'subscriptionId' | 'userId' | 'tokenVersion' | 'tries' | 'code' | 'providerCode'
>
const failed = ({ place, subscriptionId, userId, tokenVersion, tries, code, providerCode }: Failed): Decided => {
  return { place, subscriptionId, userId, tokenVersion, attempts: tries, outcome: 'failed', code, providerCode }
}
