import { newId } from '@herald/contracts/ids'
import { pointedAtOnce } from '@herald/contracts/topology'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { fanOut } from '../sends/fan-out.ts'
import { millisecondsUntilDue } from '../store/due.ts'
import { takeBatches, type BatchPointerRow } from './store/batches.ts'
import { takeDueBatches } from '../sends/store/lanes.ts'
import { takeDueFanOuts } from '../sends/store/fan-outs.ts'
import { givenDevice, givenFanOut, givenSend, openAudience } from '../testing/rig.ts'

/** Nothing sweeps here: what is taken is what the test takes. */
const { db, audience, peers, dispatcher } = await openAudience()
beforeEach(() => sql`truncate fan_outs, batches`.execute(db))

const appsOf = (taken: { appId: string }[]) => taken.map(({ appId }) => appId)
const allDue = () => sql`update batches set due_at = now() - interval '1 second'`.execute(db)

/**
 * Sends of an app to its one device, fanned out; nobody has taken their batches. Those that were pointed at are not due again for an hour instead
 * of 5 s, since making 74 sends may take longer than that.
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
test('of small sends one app has 64 batches on a lane; the others wait as rows, and each that is taken makes room', async () => {
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

test('sends that are paused leave the lane to the app’s others', async () => {
  const appId = newId()
  await givenSends(appId, pointedAtOnce)
  await sql`update fan_outs set flow = 'paused' where app_id = ${appId}`.execute(db)
  await givenSends(appId, 1)

  await until(() => pointersOf(appId) === pointedAtOnce + 1)
  expect(await takeDueBatches(db, 200)).toEqual([])
})

// spec: sending/turns
test('due batches are taken by turns of apps', async () => {
  const apps = [newId(), newId(), newId()]
  for (const [place, appId] of apps.entries()) await givenSends(appId, place === 0 ? 30 : 2)
  await allDue()

  const first: BatchPointerRow[] = await takeDueBatches(db, 6)

  expect(apps.map((appId) => appsOf(first).filter((one) => one === appId).length)).toEqual([2, 2, 2])
})

test('what comes back, a retry or a batch whose taker died, does not wait for room on the lane', async () => {
  const appId = newId()
  await givenSends(appId, pointedAtOnce + 1)
  const [one] = await db.selectFrom('batches').select('id').orderBy('due_at', 'desc').limit(1).execute()
  await sql`update batches set takes = 1, lease_until = now(), due_at = now() where id = ${one?.id}`.execute(db)
  expect((await takeDueBatches(db, 200)).map(({ batchId }) => batchId)).toContain(one?.id)
})

test('due pages are taken by turns of apps, and what is due first is known over all of them', async () => {
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
