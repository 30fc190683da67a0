import type { FinishBatch, TakeAnswer } from '@herald/contracts/batch'
import type { UnknownBatch } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import { group } from '@herald/service/group'
import { failsEverybody, isOwnFailure } from '@herald/service/health'
import { finishBatch, type FinishAnswer, type Finishing } from './finish-batch.ts'
import { readTaken, type Remembered } from './read-taken.ts'
import type { ProviderRates } from './provider-rates.ts'
import { countFailedRead } from './store/taken-batches.ts'
import { renewBatch, takeBatch, type Granted, type TakeAsked } from './take-batch.ts'

type Take = TakeAsked & { appId: string }
type Renewal = { batchId: string; takes: number; appId?: string | undefined; unknown?: UnknownBatch | undefined }

/** The functions that dispatchers call. Calls that wait at the same time share a transaction; when there are too many, apps take turns. */
export type Dispatchers = {
  take: (asked: Take) => Promise<TakeAnswer>
  /** Reads the batch of a small send that a waiting dispatcher gets. */
  readGiven: (granted: Granted) => Promise<TakeAnswer>
  renew: (asked: Renewal) => Promise<{ held: boolean }>
  finish: (finish: FinishBatch) => Promise<FinishAnswer>
}

/** What the functions that dispatchers call work with. Made in start.ts. */
type Serving = Finishing & {
  remembered: Remembered
  maxHoldSeconds: number
  outageProbeMs: number
  rates: ProviderRates
  /** Reports a batch to the ledger again. */
  reportAgain: (batch: UnknownBatch) => Promise<unknown>
  /**
   * Resolves when audience has extended the leases of taken batches, or has failed to (spare-takers.ts). Until then no batch may be taken, and no
   * lease renewed: a renewal would say that no lease needs to be extended.
   */
  takersSpared: () => Promise<void>
  /** Is called when a call of `take` has been decided, because the sweep may now point at a further batch of the app. */
  afterTake: () => unknown
}

/** At most 500 calls of one kind share a commit. While 5,000 calls of the kind wait, a further one is answered with the fault `queue_unavailable`. */
const shared = { limit: 500, maxWaiting: 5_000, full: queueUnavailable, isShared: failsEverybody }
/** Chooses the calls of a commit with apps taking turns, so that calls of another app are in the next commit although one app floods audience. */
const byApp = { ...shared, appOf: ({ appId = '' }: { appId?: string | undefined }) => appId }
const readByApp = { ...shared, appOf: ({ row }: Granted) => row.appId }

export function serveDispatchers({
  remembered,
  maxHoldSeconds,
  outageProbeMs,
  rates,
  takersSpared,
  afterTake,
  reportAgain,
  ...finishing
}: Serving): Dispatchers {
  const { db, log, poke } = finishing
  const renew = group((asked: Renewal[]) => renewBatch({ db }, asked), byApp)
  const take = group((asked: Take[]) => takeBatch({ db, maxHoldSeconds, outageProbeMs, rates, poke }, asked), byApp)
  const read = (granted: Granted[]) => readTaken({ db, remembered }, granted)
  // The batches of each lane are read separately, those of the bulk lane at most 8 with one query, so that the batch of a small send does not wait
  // until the 500 recipients of a bulk batch are read.
  const readLane = { prompt: group(read, readByApp), bulk: group(read, { ...readByApp, limit: 8 }) }
  return {
    async take(asked) {
      await takersSpared()
      const answer = await take(asked)
      afterTake()
      if (!('row' in answer)) return answer
      try {
        return await readLane[answer.row.lane](answer)
      } catch (error) {
        if (!isOwnFailure(error)) throw error
        const { id: batchId, campaignId, appId } = answer.row
        log.warn({ batchId, campaignId, appId, err: error }, 'the pushes of a batch could not be read')
        if (await countFailedRead(db, batchId)) poke()
        // Other batches of the same call go out. A taker that has a part of this batch already keeps it until its lease ends.
        if (asked.takes !== null) throw error
        return { answer: 'held' }
      }
    },
    async readGiven(granted) {
      afterTake()
      return readLane.prompt(granted)
    },
    async renew(asked) {
      await takersSpared()
      const renewed = await renew(asked)
      if (renewed.held && asked.unknown) await reportAgain(asked.unknown)
      return renewed
    },
    finish: group(async (finishes: FinishBatch[]) => {
      const answers = await finishBatch(finishing, finishes)
      for (const [index, finish] of finishes.entries()) {
        if (!finish.rate || answers[index] !== 'done') continue
        if (finish.rate.taken) await rates.took(finish.rate, finish.rate.taken)
        await rates.heard(finish, finish.appId)
      }
      return answers
    }, byApp),
  }
}
