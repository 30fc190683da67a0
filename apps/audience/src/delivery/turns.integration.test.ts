import { newId } from '@herald/contracts/ids'
import { pointedAtOnce } from '@herald/contracts/topology'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { fanOut } from '../sends/fan-out.ts'
import { millisecondsUntilDue, takeDueBatches, takeDueFanOuts, type BatchPointerRow } from '../store/due.ts'
import { takeBatches } from './store/taken-batches.ts'

import { givenDevice, givenFanOut, givenSend, openAudience } from '../testing/rig.ts'

/** No sweep runs in these tests: only the tests take rows that are due. */
const { db, audience, peers, dispatcher } = await openAudience()
beforeEach(() => sql`truncate fan_outs, batches`.execute(db))

const appsOf = (taken: { appId: string }[]) => taken.map(({ appId }) => appId)
const allDue = () => sql`update batches set due_at = now() - interval '1 second'`.execute(db)

/**
 * Makes sends of an app to its one device. No dispatcher takes their batches. Batches that were pointed at are due again in an hour instead of 5 s,
 * because making 74 sends may take longer than 5 s.
 */
async function givenSends(appId: string, count: number): Promise<void> {
  const { id } = await givenDevice(db, { appId })
  for (let n = 0; n < count; n += 1) {
    const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'subscriptionIds', subscriptionIds: [id] })
    await fanOut(audience, { campaignId, page: 0 })
    await sql`update batches set due_at = now() + interval '1 hour' where campaign_id = ${campaignId} and due_at > now()`.execute(db)
  }
}
const pointersOf = (appId: string) => dispatcher.pointers.filter((pointer) => pointer.appId === appId).length

// spec: sending/turns
test('of an app’s small sends at most 64 untaken batches a platform have a pointer; each take frees one', async () => {
  const [flooding, other] = [newId(), newId()]
  await givenSends(flooding, pointedAtOnce + 10)
  await givenSends(other, 1)

  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from batches where app_id = ${flooding} and due_at <= now()`.execute(db)
  expect(rows).toEqual([{ waiting: 10 }])
  expect(await takeDueBatches(db, 200)).toEqual([])
  const pointed = await db
    .selectFrom('batches')
    .select('id')
    .where('app_id', '=', flooding)
    .where('due_at', '>', sql<Date>`now()`)
    .limit(3)
    .execute()
  await takeBatches(
    db,
    pointed.map(({ id }) => ({ batchId: id, credentialsVersion: null })),
  )

  expect(appsOf(await takeDueBatches(db, 200))).toEqual([flooding, flooding, flooding])
  expect(pointersOf(flooding)).toBeLessThanOrEqual(pointedAtOnce)
})

test('batches of paused sends do not keep the app’s other small sends from dispatchers', async () => {
  const appId = newId()
  await givenSends(appId, pointedAtOnce)
  await sql`update fan_outs set flow = 'paused' where app_id = ${appId}`.execute(db)
  await givenSends(appId, 1)

  await until(() => pointersOf(appId) === pointedAtOnce + 1)
  expect(await takeDueBatches(db, 200)).toEqual([])
})

// spec: sending/turns
test('apps take turns when the sweep points at batches that are due', async () => {
  const apps = [newId(), newId(), newId()]
  for (const [place, appId] of apps.entries()) await givenSends(appId, place === 0 ? 30 : 2)
  await allDue()

  const first: BatchPointerRow[] = await takeDueBatches(db, 6)

  expect(apps.map((appId) => appsOf(first).filter((one) => one === appId).length)).toEqual([2, 2, 2])
})

test('a batch whose dispatcher died goes out although the app has 64 batches on the lane', async () => {
  const appId = newId()
  await givenSends(appId, pointedAtOnce + 1)
  const [one] = await db.selectFrom('batches').select('id').orderBy('due_at', 'desc').limit(1).execute()
  await sql`update batches set takes = 1, lease_until = now(), due_at = now() where id = ${one?.id}`.execute(db)
  expect((await takeDueBatches(db, 200)).map(({ batchId }) => batchId)).toContain(one?.id)
})

test('apps take turns when the sweep points at due pages, and it knows when the first row is due', async () => {
  const apps = [newId(), newId()]
  for (const [place, appId] of apps.entries()) {
    for (let n = 0; n < (place === 0 ? 20 : 2); n += 1) await givenFanOut(db, givenSend(appId))
  }
  expect(await millisecondsUntilDue(db)).toBeGreaterThan(0)
  await sql`update fan_outs set due_at = now() - interval '1 second' * case when app_id = ${apps[1]} then 1 else 60 end`.execute(db)
  expect(await millisecondsUntilDue(db)).toBeLessThan(-50_000)

  const taken = await takeDueFanOuts(db, 4)

  const rows = await db.selectFrom('fan_outs').select(['campaign_id', 'app_id']).execute()
  const appOf = new Map(rows.map(({ campaign_id, app_id }) => [campaign_id, app_id]))
  expect(taken.filter(({ campaignId }) => appOf.get(campaignId) === apps[1])).toHaveLength(2)
})
