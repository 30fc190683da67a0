import type { Decided, FinishBatch } from '@herald/contracts/batch'
import type { RefusalMeaning } from './circuit.ts'

/** A finish in which every push has got its next step. `decided` are the pushes that have failed, for the ledger. */
export type Resolved = Pick<FinishBatch, 'dead' | 'retries'> & { decided: Decided[] }

const laterByMs = 1_000

/** After the other retries of the batch: these pushes get a batch of their own, so that the next probe asks another device. */
const afterTheRest = (retries: FinishBatch['retries']): number => Math.max(0, ...retries.map(({ retryInMs }) => retryInMs)) + laterByMs

/**
 * Gives the pushes of a finish whose tokens were refused their next step, by what the refusals mean. One that is tried again is counted as
 * if it had not been tried, and comes back after the other retries of its batch.
 */
export function resolveGuarded({ guarded, dead, retries }: FinishBatch, refusal: RefusalMeaning): Resolved {
  if (guarded.length === 0) return { dead, retries, decided: [] }
  if (refusal === 'retry') {
    const retryInMs = afterTheRest(retries)
    const again = guarded.map(({ place, subscriptionId, userId, tries, code, providerCode }) => {
      return { place, subscriptionId, userId, tries: tries - 1, retryInMs, code, providerCode }
    })
    return { dead, retries: [...retries, ...again], decided: [] }
  }
  const invalid = guarded.map(({ subscriptionId, userId, tokenVersion, agoMs, code }) => {
    return { subscriptionId, userId, tokenVersion, agoMs, deadSince: null, code }
  })
  return { dead: refusal === 'dead' ? [...dead, ...invalid] : dead, retries, decided: guarded.map(failed) }
}

/**
 * Gives the pushes of a finish for which the provider was unavailable their next step. While their circuit is open they are counted as if
 * they had not been tried and are held at once; those of a probe after the other retries of their batch. Otherwise they come back after
 * `retryInMs`, or have failed when that is null.
 */
export function resolveUnavailable(
  { unavailable, retries }: Pick<FinishBatch, 'unavailable' | 'retries'>,
  isOpen: (environment: FinishBatch['unavailable'][number]['environment']) => boolean,
  isProbe: boolean,
): Pick<Resolved, 'retries' | 'decided'> {
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
