import type { Decided, FinishBatch } from '@herald/contracts/batch'
import type { RefusalDecision } from './circuit.ts'

/**
 * What becomes of the pushes of a finish (what a dispatcher reports when it is done with a batch) that were not sent. `decided`: those of them that
 * audience has found to have failed, for the ledger.
 */
export type Resolved = Pick<FinishBatch, 'dead' | 'retries'> & { decided: Decided[] }

const laterByMs = 1_000

/**
 * Gives a wait that is 1 s longer than that of every other retry of the batch. So another push of the batch is sent first, and the next probe goes to
 * another device.
 */
const afterTheRest = (retries: FinishBatch['retries']): number => Math.max(0, ...retries.map(({ retryInMs }) => retryInMs)) + laterByMs

type Guarded = FinishBatch['guarded'][number]

/**
 * Decides for pushes whose devices were refused whether they failed or are tried again. With an open circuit the try does not count, and the push
 * comes after its batch's other retries. `counted`: devices whose refusals are counted.
 */
export function resolveGuarded(
  { guarded, dead, retries }: Pick<FinishBatch, 'guarded' | 'dead' | 'retries'>,
  decisionOn: (push: Guarded) => RefusalDecision,
): Resolved & { counted: FinishBatch['dead'] } {
  if (guarded.length === 0) return { dead, retries, decided: [], counted: [] }
  const heldInMs = afterTheRest(retries)
  const again: FinishBatch['retries'] = []
  const invalid: FinishBatch['dead'] = []
  const counted: FinishBatch['dead'] = []
  const decided: Decided[] = []
  for (const push of guarded) {
    const { place, subscriptionId, userId, tokenVersion, tries, retryInMs, agoMs, providerCode } = push
    const verdict = decisionOn(push)
    const code = verdict.code ?? push.code
    if (verdict.meaning === 'retry')
      again.push({ place, subscriptionId, userId, tries: tries - 1, retryInMs: heldInMs, code: push.code, providerCode })
    else if (retryInMs !== null) again.push({ place, subscriptionId, userId, tries, retryInMs, agoMs, code, providerCode })
    else {
      decided.push(failed({ ...push, code }))
      const refused = { subscriptionId, userId, tokenVersion, agoMs, deadSince: null, code }
      if (verdict.meaning === 'dead') invalid.push(refused)
      if (verdict.meaning === 'counted') counted.push(refused)
    }
  }
  return { dead: [...dead, ...invalid], retries: [...retries, ...again], decided, counted }
}

/**
 * Decides for pushes to an unavailable provider. Circuit open: the try does not count, and they are held at once, those of a probe after their
 * batch's other retries. Closed: they come back after `retryInMs`; null: they failed.
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
