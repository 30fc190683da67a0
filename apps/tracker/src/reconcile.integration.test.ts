import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { openReconciler } from './reconcile.ts'
import type { Tables } from './store/tables.ts'
import { givenCampaign, givenOutcomes, givenSettled, givenTracker } from './testing/given-tracker.ts'

let db: Awaited<ReturnType<typeof openDatabase<Tables>>>['db']
const campaign = givenCampaign()

/** One settled campaign. The tracker that made it is stopped, so that its own reconciler does not take part. */
beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const tracker = await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  await givenSettled(await givenPeer('gateway', natsUrl), campaign, givenOutcomes(8))
  await tracker.stop()
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 4 }))
})

beforeEach(async () => {
  const round = { pending: [], after: null, working: null, written: null, compared: null, found: {}, foundBefore: {}, roundEndedAt: null }
  await sql`update reconciliation set next_at = now(), round = ${JSON.stringify(round)}::jsonb`.execute(db)
})

// spec: tracking/verified
test('the reconciler finds a difference in an active campaign, logs it once, and notices when it is repaired', async () => {
  const service = testService('tracker', {})
  const errors: object[] = []
  const log = Object.assign(service.log, { error: (line: object) => errors.push(line) })
  const reconciler = openReconciler({ ...service, log }, { db, retentionDays: 90 }, { betweenRoundsMs: 0 })
  const counted = async (name: string) =>
    Number(new RegExp(`^${name}(?:\\{scope="global"\\})? (\\S+)$`, 'm').exec(await service.metrics.text())?.[1])
  const compared = () => counted('herald_reconciled_campaigns_total')
  const sweepUntil = (condition: () => boolean | Promise<boolean>) =>
    until(async () => {
      await reconciler.sweep()
      return condition()
    })
  const setOpened = (opened: number) => db.updateTable('counters').set({ opened }).where('campaign_id', '=', campaign.campaignId).execute()

  expect(await reconciler.found()).toEqual({ difference: 0, roundEndedAt: null })
  await sweepUntil(async () => (await compared()) === 1)
  expect(await reconciler.found()).toEqual({ difference: 0, roundEndedAt: expect.stringMatching(/Z$/) })
  expect(await counted('herald_ledger_difference')).toBe(0)
  expect(errors).toEqual([])

  await setOpened(5)
  await sweepUntil(async () => (await reconciler.found()).difference === 5)
  expect(await counted('herald_ledger_difference')).toBe(5)
  expect(errors).toMatchObject([{ campaignId: campaign.campaignId, difference: 5, counters: { opened: 5 }, ledger: { opened: 0 } }])
  const before = await compared()
  await setOpened(5)
  await sweepUntil(async () => (await compared()) > before)
  expect(errors).toHaveLength(1)

  await setOpened(0)
  await sweepUntil(async () => (await counted('herald_ledger_difference')) === 0)
})

// spec: tracking/one-reconciler
test('two trackers make one round together, both show what it found, and a piece whose tracker died is made again', async () => {
  const services = [testService('tracker', {}), testService('tracker', {})]
  const reconcilers = services.map((service) => openReconciler(service, { db, retentionDays: 90 }, { betweenRoundsMs: 60_000 }))
  const compared = async (service = services[0]!) =>
    Number(/^herald_reconciled_campaigns_total (\S+)$/m.exec(await service.metrics.text())?.[1])
  const due = () => sql`update reconciliation set next_at = now(), round = round || '{"compared": null}'`.execute(db)
  const sweepBoth = () => Promise.all(reconcilers.map((one) => one.sweep()))

  await due()
  for (let look = 0; look < 5; look += 1) await sweepBoth()
  expect((await compared()) + (await compared(services[1]))).toBe(1)
  const [found, other] = await Promise.all(reconcilers.map((one) => one.found()))
  expect(found).toEqual(other)

  // A tracker that died at its piece: the piece is skipped, and a further round compares everything.
  await sql`update reconciliation set next_at = now(), round = round || '{"working": ["gone"], "compared": null}'`.execute(db)
  await sweepBoth()
  await due()
  await sweepBoth()
  expect((await compared()) + (await compared(services[1]))).toBeGreaterThanOrEqual(2)
})

test('while no counters and no rows of the ledger are written the reconciler compares no campaign', async () => {
  const service = testService('tracker', {})
  const reconciler = openReconciler(service, { db, retentionDays: 90 }, { betweenRoundsMs: 0 })
  const compared = async () => Number(/^herald_reconciled_campaigns_total (\S+)$/m.exec(await service.metrics.text())?.[1])
  // After a round the reconciler rests; without one it looks again after `betweenRoundsMs`. Postgres counts earlier writes up to ten seconds late.
  const left = await until(async () => {
    const before = await compared()
    const { nextInMs } = await reconciler.sweep()
    return nextInMs === 0 && { before, after: await compared() }
  })
  expect((await reconciler.found()).roundEndedAt).not.toBeNull()
  expect(left.before).toBeGreaterThan(0)
  expect(left.after).toBe(left.before)
})
