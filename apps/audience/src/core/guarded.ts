import type { Decided, FinishBatch } from '@herald/contracts/batch'
import type { Verdict } from './circuit.ts'

/** A finish whose refused tokens have become what they come to: `decided` are failures for the ledger. */
export type Settled = Pick<FinishBatch, 'dead' | 'retries'> & { decided: Decided[] }

const retryInMs = 1_000

/**
 * What a verdict makes of a finish's refused tokens. To be tried again they have made no try, and come back later than the rest
 * of their batch: in a batch of their own, so that the next probe asks another device.
 */
export function settleGuarded({ guarded, dead, retries }: FinishBatch, verdict: Verdict, now: Date): Settled {
  if (guarded.length === 0) return { dead, retries, decided: [] }
  if (verdict === 'retry') {
    const latest = Math.max(now.getTime(), ...retries.map(({ retryAt }) => Date.parse(retryAt)))
    const retryAt = new Date(latest + retryInMs).toISOString()
    const again = guarded.map(({ subscriptionId, userId, tries }) => ({ subscriptionId, userId, tries: tries - 1, retryAt }))
    return { dead, retries: [...retries, ...again], decided: [] }
  }
  const decided = guarded.map(({ subscriptionId, userId, tokenVersion, tries, code, providerCode }): Decided => {
    return { subscriptionId, userId, tokenVersion, attempts: tries, outcome: 'failed', code, providerCode }
  })
  const invalid = guarded.map(({ subscriptionId, userId, tokenVersion, since, code }) => ({
    subscriptionId,
    userId,
    tokenVersion,
    since,
    code,
  }))
  return { dead: verdict === 'dead' ? [...dead, ...invalid] : dead, retries, decided }
}
