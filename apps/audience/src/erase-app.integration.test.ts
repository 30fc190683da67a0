import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eraseApp } from './erase-app.ts'
import { fanOut } from './fan-out.ts'
import { createSegment as create } from './save-segment.ts'
import { insertAnnouncements } from './store/announcements.ts'
import { clearSettled, findFanOut } from './store/fan-outs.ts'
import { noteNotified } from './store/subscriptions.ts'
import { fanOutAll, givenCrowd, givenSend, openAudience } from './testing/rig.ts'

const { audience, db, peers } = await openAudience()

/** An app with something of everything, and a send of it under way. */
async function givenBusyApp(count: number) {
  const appId = newId()
  const crowd = await givenCrowd(db, { appId, count })
  await noteNotified(db, crowd.slice(0, 10))
  await create({ db }, { appId, segment: { name: 'all', definition: {} } })
  const event = { type: 'subscription.invalidated' as const, at: '2026-01-01T00:00:00.000Z', appId, campaignId: newId(), userId: newId() }
  const body = [{ ...event, subscriptionId: crowd[0] ?? '', platform: 'ios' as const, data: { code: 'token_dead' } }]
  await insertAnnouncements(db, [{ id: newId(), subject: 'event.subscription.invalidated', body }])
  await sql`insert into circuits (app_id, platform) values (${appId}, 'ios')`.execute(db)
  await sql`
    insert into cap_claims (app_id, user_id, campaign_id, expires_at) values (${appId}, ${newId()}, ${newId()}, now() + interval '1 day')`.execute(
    db,
  )
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  return { appId, campaignId }
}

async function countRows(appId: string): Promise<Record<string, number>> {
  const tables = ['users', 'subscriptions', 'segments', 'batches', 'circuits', 'guarded_invalidations', 'cap_claims'] as const
  const counts = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)} where app_id = ${appId}`.execute(db)
      return [table, rows[0]?.count ?? -1] as const
    }),
  )
  const { rows: announced } = await sql`select from announcements where body -> 0 ->> 'appId' = ${appId}`.execute(db)
  return { ...Object.fromEntries(counts), announcements: announced.length }
}

test('a deleted app’s rows go, a part with every call; other apps keep theirs, and its sends end', async () => {
  const { appId, campaignId } = await givenBusyApp(6_000)
  const other = await givenBusyApp(20)
  const kept = await countRows(other.appId)
  peers.gone.add(appId)

  expect(await eraseApp({ db }, { appId })).toEqual({ done: false })
  let calls = 1
  while (!(await eraseApp({ db }, { appId })).done) calls += 1

  expect(calls).toBeGreaterThanOrEqual(2)
  expect(Object.values(await countRows(appId)).every((count) => count === 0)).toBe(true)
  expect(await countRows(other.appId)).toEqual(kept)
  const { rows: notes } =
    await sql`select from last_notified n where not exists (select from subscriptions s where s.id = n.subscription_id)`.execute(db)
  expect(notes).toEqual([])
  const page = (await findFanOut(db, campaignId))?.page ?? 0
  await fanOut(audience, { campaignId, page })
  expect((await countRows(appId))['batches']).toBe(0)
  await clearSettled(db)
  expect(await findFanOut(db, campaignId)).toMatchObject({ send: null, target: null, due_at: null })
  expect((await findFanOut(db, other.campaignId))?.settled_at).toBeNull()
})

test('a send that starts after its app was deleted fails and queues nothing', async () => {
  const appId = newId()
  peers.gone.add(appId)
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })

  await fanOutAll(audience, campaignId)

  expect(peers.failures.filter((failure) => failure.campaignId === campaignId)).toMatchObject([{ code: 'not_found' }])
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'failed', due_at: null })
})

test('a batch that is being finished while its app is erased goes too', async () => {
  const { appId } = await givenBusyApp(20)
  peers.gone.add(appId)
  const [touched, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const finishing = db.transaction().execute(async (trx) => {
    await sql`update batches set takes = takes + 1 where app_id = ${appId}`.execute(trx)
    touched.resolve()
    await release.promise
  })
  await touched.promise
  const erasing = eraseApp({ db }, { appId })
  await until(async () => (await sql`select from pg_locks where not granted`.execute(db)).rows.length > 0)
  release.resolve()
  await finishing

  expect(await erasing).toEqual({ done: true })
  expect(await countRows(appId)).toMatchObject({ batches: 0, subscriptions: 0, users: 0 })
})
