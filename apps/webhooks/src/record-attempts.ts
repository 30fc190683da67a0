import { transact } from '@herald/service/postgres'
import { judge, type PostAnswer, type Verdict } from './core/retry.ts'
import { endAttempt } from './store/deliveries.ts'
import { lockEndpoints, recordAtEndpoint } from './store/endpoints.ts'
import type { Db } from './store/tables.ts'

/** An attempt that is over. */
export type Ended = { id: string; endpointId: string; takes: number; tries: number; at: Date; answer: PostAnswer }

const stateOf = { delivered: 'delivered', retry: 'pending', exhausted: 'failed', refused: 'failed' } as const
const effectOf = { delivered: 'reset', retry: 'none', exhausted: 'count', refused: 'none' } as const

/**
 * Writes what came of attempts, to the delivery and to its endpoint, in one transaction, in the order in which they ended. An attempt
 * whose delivery another process has taken since (or that was erased) changes nothing.
 */
export function recordAttempts({ db, retryBaseMs }: { db: Db; retryBaseMs: number }, ended: Ended[]): Promise<Verdict['is'][]> {
  return transact(db, async (trx) => {
    await lockEndpoints(trx, [...new Set(ended.map(({ endpointId }) => endpointId))])
    const verdicts: Verdict['is'][] = []
    for (const { id, endpointId, takes, tries, at, answer } of ended) {
      const verdict = judge(answer, { tries: tries + 1, baseMs: retryBaseMs, random: Math.random() })
      const attempt = { at: at.toISOString(), status: answer.status, error: answer.error, latencyMs: answer.latencyMs }
      const next = { state: stateOf[verdict.is], inMs: verdict.is === 'retry' ? verdict.inMs : null }
      if (await endAttempt(trx, { id, takes, attempt, next }))
        await recordAtEndpoint(trx, { endpointId, answer, effect: effectOf[verdict.is] })
      verdicts.push(verdict.is)
    }
    return verdicts
  })
}
