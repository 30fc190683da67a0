import type { FinishBatch, TakenBatch } from '@herald/contracts/batch'
import { queueUnavailable } from '@herald/contracts/fault'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import type { Recent } from '../core/recent.ts'
import { finishBatch, type FinishAnswer, type Finishing } from './finish-batch.ts'
import { readTaken, type KnownSend } from './read-taken.ts'
import { renewBatch, takeBatch, type Granted, type TakeAsked } from './take-batch.ts'

type Take = TakeAsked & { appId?: string | undefined }
type Renewal = { batchId: string; takes: number; appId?: string | undefined }

/** What dispatchers call. Calls that are ready together are answered by one transaction, with apps taking turns. */
export type Dispatchers = {
  take: (asked: Take) => Promise<TakenBatch>
  renew: (asked: Renewal) => Promise<{ held: boolean }>
  finish: (finish: FinishBatch) => Promise<FinishAnswer>
}

type Serving = Finishing & {
  /** Sends that were read for batches before. */
  remembered: Recent<KnownSend>
  maxHoldSeconds: number
  outageProbeMs: number
  /** Resolves when the leases of living dispatchers are extended: no batch may be taken before. */
  takersSpared: () => Promise<void>
  /** To be called after each take: the app may have room on the lane for a batch that waits. */
  afterTake: () => unknown
}

/** At most 500 calls are in one commit. With 5,000 waiting a caller is asked to come again. */
const shared = { limit: 500, maxWaiting: 5_000, full: queueUnavailable, isShared: failsEverybody }
/** By turns of apps: the flood of one app costs another app a place in the next commit. */
const byApp = { ...shared, turn: ({ appId = '' }: { appId?: string | undefined }) => appId }
const readByApp = { ...shared, turn: ({ row }: Granted) => row.appId }

export function serveDispatchers({
  remembered,
  maxHoldSeconds,
  outageProbeMs,
  takersSpared,
  afterTake,
  ...finishing
}: Serving): Dispatchers {
  const { db } = finishing
  const take = group((asked: Take[]) => takeBatch({ db, maxHoldSeconds, outageProbeMs }, asked), byApp)
  const read = (granted: Granted[]) => readTaken({ db, remembered }, granted)
  // Each lane reads by itself, so that a small batch does not wait for the 500 recipients of a large one.
  const readLane = { prompt: group(read, readByApp), bulk: group(read, { ...readByApp, limit: 8 }) }
  return {
    async take(asked) {
      await takersSpared()
      const answer = await take(asked)
      afterTake()
      return 'row' in answer ? readLane[answer.row.lane](answer) : answer
    },
    renew: group((asked: Renewal[]) => renewBatch({ db }, asked), byApp),
    finish: group((finishes: FinishBatch[]) => finishBatch(finishing, finishes), byApp),
  }
}
