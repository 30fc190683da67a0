import type { FinishBatch, FrozenSend } from '@herald/contracts/batch'
import { openMetrics } from '@herald/service/metrics'
import { sql } from 'kysely'
import { wakeFanOut } from '../sends/change-flow.ts'
import { fanOut } from '../sends/fan-out.ts'
import { finishBatch } from '../delivery/finish-batch.ts'
import { readTaken, rememberSends } from '../delivery/read-taken.ts'
import { openProviderRates } from '../delivery/provider-rates.ts'
import { takeBatch, type TakeAsked } from '../delivery/take-batch.ts'
import { rememberCircuits } from '../delivery/update-circuits.ts'
import { anyApp, givenSend, nothingHeard, opened, type openAudience } from './rig.ts'

export const asked = (batchId: string, change: Partial<TakeAsked> = {}): TakeAsked & { appId: string } => ({
  batchId,
  appId: anyApp,
  knowsSend: false,
  from: 0,
  takes: null,
  environment: '',
  credentialsVersion: null,
  rate: null,
  ...change,
})

export const finished = (batchId: string, takes: number, change: Partial<FinishBatch> = {}): FinishBatch => ({
  ...nothingHeard,
  batchId,
  appId: anyApp,
  takes,
  ...change,
})

export const retried = (
  { place = 0, subscriptionId, userId }: { place?: number; subscriptionId: string; userId: string },
  change: Partial<FinishBatch['retries'][number]> = {},
): FinishBatch['retries'][number] => ({ place, subscriptionId, userId, tries: 0, retryInMs: 0, code: null, providerCode: '', ...change })

/**
 * Makes functions with which a test makes batches, and takes and finishes them in the place of a dispatcher. Each take starts with an empty memory of
 * sends.
 */
export function withBatches({ audience, db, peers }: Pick<Awaited<ReturnType<typeof openAudience>>, 'audience' | 'db' | 'peers'>) {
  const rates = openProviderRates({ db, log: audience.log })
  const take = async (...all: TakeAsked[]): Promise<ReturnType<typeof opened>[]> => {
    const given = await takeBatch({ db, maxHoldSeconds: 86_400, outageProbeMs: 5_000, rates, poke: () => undefined }, all)
    const granted = given.filter((one) => 'row' in one)
    const read = await readTaken({ db, remembered: rememberSends() }, granted)
    return given.map((one) => opened('row' in one ? (read[granted.indexOf(one)] ?? { answer: 'gone' }) : one))
  }
  const givenBatches = async (appId: string, send: FrozenSend = givenSend(appId)): Promise<string[]> => {
    const campaignId = peers.givenCampaign(send, { kind: 'all' })
    await fanOut(audience, { campaignId, page: 0 })
    const rows = await db.selectFrom('batches').select('id').where('campaign_id', '=', campaignId).orderBy('id').execute()
    return rows.map(({ id }) => id)
  }
  return {
    rates,
    take,
    takeOne: async (batchId: string, change: Partial<TakeAsked> = {}) => {
      const [answer] = await take(asked(batchId, change))
      if (answer?.answer !== 'taken') throw new Error(`not taken but ${answer?.answer}`)
      return answer
    },
    finish: (...all: FinishBatch[]) =>
      finishBatch(
        {
          ...audience,
          circuitMemory: rememberCircuits({ log: audience.log, metrics: openMetrics() }),
          poke: () => undefined,
          wakeFanOut: (appId) => wakeFanOut(audience, appId),
        },
        all,
      ),
    givenBatches,
    givenBatch: async (appId: string, send?: FrozenSend): Promise<string> => {
      const [batchId] = await givenBatches(appId, send)
      if (!batchId) throw new Error('the app has no device')
      return batchId
    },
    expireLease: (batchId: string) =>
      db
        .updateTable('batches')
        .set({ lease_until: sql<Date>`now()` })
        .where('id', '=', batchId)
        .execute(),
    subscription: (id: string) => db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  }
}
