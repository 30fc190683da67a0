import { smallBatch, type FinishBatch, type TakenBatch } from '@herald/contracts/batch'
import { finishBatch, finishBatches, takeBatch, takeBatches, type TakeBatch } from '@herald/contracts/calls/audience'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import { group } from '@herald/service/group'

type TakeAsked = TakeBatch & { appId: string }
/** `size`: how many pushes its pointer says it holds; undefined: any number. */
type Finish = { appId: string; size: number | undefined; finish: () => FinishBatch }
export type FinishAnswer = 'done' | 'lost'

/** Takes and finishes of small batches travel together: a call for each costs more than the batch. What is large goes by itself. */
export type SmallBatches = {
  take(asked: TakeAsked, size: number | undefined): Promise<TakenBatch>
  /** `finish` is asked when the call is made: what it says of time counts from then. */
  finish(finish: Finish): Promise<FinishAnswer>
}

/** An answer holds a send of up to 70 KB and the devices with each batch, so few go in one call and several calls at once. */
const takes = { limit: 8, atOnce: 8 }
const finishes = { limit: 64, atOnce: 2 }

/** By turns of apps; what is ready together goes together, and nobody waits for company. */
export function openSmallBatches(bus: Pick<Bus, 'call'>): SmallBatches {
  const shared = {
    maxWaiting: 10_000,
    full: queueUnavailable,
    isShared: (error: unknown) => Fault.is(error, 'queue_unavailable') || Fault.is(error, 'database_unavailable'),
    turn: ({ appId }: { appId: string }) => appId,
  }
  const take = group<TakeAsked, TakenBatch>(async (batches) => (await bus.call(takeBatches, { batches })).answers, { ...shared, ...takes })
  const finish = group<Finish, FinishAnswer>(
    async (batches) => (await bus.call(finishBatches, { batches: batches.map(({ finish }) => finish()) })).answers,
    { ...shared, ...finishes },
  )
  const isSmall = (size: number | undefined) => size !== undefined && size <= smallBatch
  return {
    take: (asked, size) => (isSmall(size) ? take(asked) : bus.call(takeBatch, asked)),
    finish: async (one) => (isSmall(one.size) ? finish(one) : (await bus.call(finishBatch, one.finish())).answer),
  }
}
