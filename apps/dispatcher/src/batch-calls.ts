import { smallBatch, type FinishBatch, type TakeAnswer } from '@herald/contracts/batch'
import { finishBatch, finishBatches, takeBatch, takeBatches, type Failed, type TakeBatch } from '@herald/contracts/calls/audience'
import { fault, Fault, queueUnavailable } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import { group } from '@herald/service/group'

type TakeAsked = TakeBatch & { appId: string }
/** `size` is how many pushes the batch holds, as its pointer says; undefined when it may be any number. */
type Finish = { appId: string; size: number | undefined; finish: () => FinishBatch }
export type FinishAnswer = 'done' | 'lost'

/**
 * Takes and finishes small batches, many in one call, because a call for each would cost more than the batch. A large batch has a call of its own.
 */
export type BatchCalls = {
  take(asked: TakeAsked, size: number | undefined): Promise<TakeAnswer>
  /** Finishes a batch. Calls `finish` when the message is made, because the durations in it count from then. */
  finish(finish: Finish): Promise<FinishAnswer>
}

/**
 * The most batches that one call takes (`limit`), and the most calls at once (`atOnce`). Few batches share a call, because for each batch the answer
 * holds the send, up to 70 KB, and its devices.
 */
const takes = { limit: 8, atOnce: 8 }
const finishes = { limit: 64, atOnce: 2 }

/** Opens two groups (group.ts of libs/service), for takes and for finishes. Batches that are ready together share a call. Apps take turns. */
export function openBatchCalls(bus: Pick<Bus, 'call'>): BatchCalls {
  const shared = {
    maxWaiting: 10_000,
    full: queueUnavailable,
    isShared: (error: unknown) => Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable'),
    appOf: ({ appId }: { appId: string }) => appId,
  }
  const take = group<TakeAsked, TakeAnswer | Failed>(async (batches) => (await bus.call(takeBatches, { batches })).answers, {
    ...shared,
    ...takes,
  })
  const finish = group<Finish, FinishAnswer | Failed>(
    async (batches) => (await bus.call(finishBatches, { batches: batches.map(({ finish }) => finish()) })).answers,
    { ...shared, ...finishes },
  )
  const isSmall = (size: number | undefined) => size !== undefined && size <= smallBatch
  return {
    take: async (asked, size) => (isSmall(size) ? orThrow(await take(asked)) : bus.call(takeBatch, asked)),
    finish: async (one) => (isSmall(one.size) ? orThrow(await finish(one)) : (await bus.call(finishBatch, one.finish())).answer),
  }
}

function orThrow<Answer>(answer: Answer | Failed): Answer {
  if (typeof answer === 'object' && answer !== null && 'failed' in answer)
    throw fault(answer.failed, 'Audience could not answer for a batch.')
  return answer
}
