import { eraseTrackerOfApp, explainPushes, recordOutcomes, trackEvents } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import type { Attempt } from '@herald/contracts/outcome'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { Db, Tables } from './store/tables.ts'
import {
  batchesOf,
  givenCampaign,
  givenEngagement,
  givenOutcomes,
  givenTracker,
  outcomesOf,
  report,
  type Campaign,
} from './testing/given-tracker.ts'

let caller: Awaited<ReturnType<typeof givenPeer>>
let db: Db

beforeAll(async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
  caller = await givenPeer('gateway', natsUrl)
  ;({ db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 }))
})

const explain = (campaign: Campaign, subscriptionIds: string[], userId: string | null = null) =>
  caller.call(explainPushes, { ...campaign, subscriptionIds, userId })
const attemptsLeft = async ({ campaignId }: Campaign) =>
  (await db.selectFrom('ledger_attempts').select('place').where('campaign_id', '=', Buffer.from(campaignId, 'hex')).execute()).length
const trail: Attempt[] = [
  { at: '2026-01-01T10:00:00.000Z', code: 'provider_unavailable', providerCode: '503 ServiceUnavailable' },
  { at: '2026-01-01T10:00:02.000Z', code: 'timeout', providerCode: '' },
]

// spec: tracking/attempts
test.each([1, 40])('the answers to earlier attempts of %i pushes are stored with the outcome, once, for no other', async (count) => {
  const campaign = givenCampaign()
  const [batch] = batchesOf(campaign, givenOutcomes(count + 1, { attempts: 3 }))
  await report(caller, campaign, [batch!])
  const [retried, other] = [{ ...batch!, pushes: batch!.pushes.slice(0, count) }, batch!.pushes[count]!]
  const told = outcomesOf(retried)
  const rest = { ...told, results: [{ ...told.results[0]!, places: [count] }] }

  const first = await caller.call(recordOutcomes, { batches: [{ ...told, trail }, rest] })
  const repeated = await caller.call(recordOutcomes, { batches: [{ ...told, trail: trail.slice(1) }, rest] })

  expect([first, repeated]).toEqual([{ recorded: count + 1 }, { recorded: 0 }])
  expect(await attemptsLeft(campaign)).toBe(count)
  const { ledger, pushes } = await explain(campaign, [retried.pushes[0]!.subscriptionId, other.subscriptionId])
  expect(ledger).toBe('kept')
  const byDevice = new Map(pushes.map((push) => [push.subscriptionId, push]))
  expect(byDevice.get(retried.pushes[0]!.subscriptionId)).toMatchObject({ trail, no: 1, end: { outcome: 'sent', attempts: 3 } })
  expect(byDevice.get(other.subscriptionId)).toMatchObject({ trail: [] })
})

test('a trail of attempts that cannot be read is left out, and the outcomes are counted', async () => {
  const campaign = givenCampaign()
  const [batch] = batchesOf(campaign, givenOutcomes(2))
  await report(caller, campaign, [batch!])
  const unreadable = [{ at: 'yesterday', code: 'never heard of', providerCode: '' }] as never

  expect(await caller.call(recordOutcomes, { batches: [{ ...outcomesOf(batch!), trail: unreadable }] })).toEqual({ recorded: 2 })
  expect(await attemptsLeft(campaign)).toBe(0)
})

// spec: administration/explain
test.each([3, 60])('explain finds pushes of a batch of %i by device and by user, also without an outcome yet', async (count) => {
  const campaign = givenCampaign()
  const userId = newId()
  const outcomes = givenOutcomes(count)
  outcomes[1] = { ...outcomes[1]!, userId }
  outcomes[2] = { ...outcomes[2]!, userId }
  const [batch] = batchesOf(campaign, outcomes)
  await report(caller, campaign, [batch!])
  const [first, second, third] = outcomes
  expect((await explain(campaign, [first!.subscriptionId])).pushes).toMatchObject([{ ...idsOf(first!), end: null, trail: [], reports: [] }])

  await caller.call(recordOutcomes, { batches: [outcomesOf(batch!)] })
  await caller.call(trackEvents, { engagements: [givenEngagement(campaign, idsOf(first!))] })

  const ofDevice = await explain(campaign, [first!.subscriptionId])
  expect(ofDevice.pushes).toMatchObject([{ ...idsOf(first!), end: { outcome: 'sent' }, reports: [{ kind: 'opened' }] }])
  expect(ofDevice.fannedOutAt).not.toBeNull()
  const ofUser = await explain(campaign, [], userId)
  expect(ofUser.pushes.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(
    [second, third].map((one) => one.subscriptionId).toSorted(),
  )
  expect((await explain(campaign, [newId()], newId())).pushes).toEqual([])
  expect(await explain({ ...campaign, appId: newId() }, [first!.subscriptionId])).toMatchObject({ ledger: 'none', pushes: [] })
})

const idsOf = ({ subscriptionId, userId }: { subscriptionId: string; userId: string }) => ({ subscriptionId, userId })

// spec: administration/delete-app
test('deleting an app deletes the stored answers to earlier attempts', async () => {
  const campaign = givenCampaign()
  const [batch] = batchesOf(campaign, givenOutcomes(20))
  await report(caller, campaign, [batch!])
  await caller.call(recordOutcomes, { batches: [{ ...outcomesOf(batch!), trail }] })
  expect(await attemptsLeft(campaign)).toBe(20)

  await until(async () => (await caller.call(eraseTrackerOfApp, { appId: campaign.appId })).done)

  expect(await attemptsLeft(campaign)).toBe(0)
})

// spec: tracking/past-retention
test('explain says that a campaign is past the retention; every ledger day has a partition for earlier attempts', async () => {
  const campaign = givenCampaign()
  const [batch] = batchesOf(campaign, givenOutcomes(1))
  await report(caller, campaign, [batch!])
  await sql`update counters set day = day - 200 where campaign_id = ${campaign.campaignId}`.execute(db)
  expect(await explain(campaign, [batch!.pushes[0]!.subscriptionId])).toMatchObject({ ledger: 'past', pushes: [] })

  const daysOf = async (parent: string) => {
    const { rows } = await sql<{ day: string }>`
      select right(child.relname, 8) as day from pg_inherits join pg_class child on child.oid = inhrelid
      where inhparent = ${parent}::regclass order by 1`.execute(db)
    return rows.map(({ day }) => day)
  }
  expect(await daysOf('ledger_attempts')).toEqual(await daysOf('ledger_batches'))
})
