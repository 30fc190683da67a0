import { transact } from '@herald/service/postgres'
import { readResponse, standingAfter, type PostAnswer, type ResponseMeaning } from './core/response.ts'
import { endAttempts } from './store/deliveries.ts'
import { lockStandings, writeStandings } from './store/endpoints.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * An attempt that is over. `takes` is how often its delivery had been taken when the attempt began, and `tries` how many attempts the delivery had
 * had before. `wasLost`: its process died, and another process has found that out.
 */
export type Ended = { id: string; endpointId: string; takes: number; tries: number; wasLost: boolean; at: Date; answer: PostAnswer }

const stateOf = { delivered: 'delivered', retry: 'pending', exhausted: 'failed', refused: 'failed' } as const

/**
 * Writes the results of attempts, in the order in which they ended. A result is ignored when another process has taken the delivery since or it was
 * erased. After a lost commit a delivery is attempted again.
 */
export function recordAttempts(
  { db, retryBaseMs }: Pick<Webhooks, 'db' | 'retryBaseMs'>,
  ended: Ended[],
): Promise<ResponseMeaning['is'][]> {
  return transact(db, async (trx) => {
    const standings = await lockStandings(trx, [...new Set(ended.map(({ endpointId }) => endpointId))])
    const attempts = ended.map((one) => {
      const meaning = readResponse(one.answer, { tries: one.tries + 1, baseMs: retryBaseMs, random: Math.random(), wasLost: one.wasLost })
      const { status, error, latencyMs } = one.answer
      const attempt = { at: one.at.toISOString(), status, error, latencyMs }
      return { ...one, attempt, meaning, next: { state: stateOf[meaning.is], inMs: meaning.is === 'retry' ? meaning.inMs : null } }
    })
    const written = await endAttempts(trx, attempts)
    const changed = new Map<string, ReturnType<typeof standingAfter>>()
    for (const { id, endpointId, answer, meaning } of attempts) {
      const before = changed.get(endpointId) ?? standings.get(endpointId)
      if (before !== undefined && written.has(id)) changed.set(endpointId, standingAfter(before, answer, meaning.is))
    }
    await writeStandings(trx, [...changed])
    return attempts.map(({ meaning }) => meaning.is)
  })
}
