import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Audience } from './audience.ts'
import { changeUser } from './people/change-users.ts'
import { eraseApp } from './erase-app.ts'
import { fanOut } from './sends/fan-out.ts'
import { loginSubscription, logoutSubscription } from './people/login-logout.ts'
import { registerSubscription } from './people/register-subscription.ts'
import { createSegment as create } from './segments/save-segment.ts'
import { insertSegment } from './segments/store/segments.ts'
import { insertAnnouncements } from './store/announcements.ts'
import { insertRetries } from './delivery/store/finished-batches.ts'
import { deleteOldErasedApps } from '@herald/service/erased-apps'
import { clearSettled } from './sends/store/settled.ts'
import { findFanOut } from './sends/store/fan-outs.ts'
import { givenNotified } from './testing/play-ledger.ts'
import { fanOutAll, givenCrowd, givenDevice, givenSend, openAudience } from './testing/rig.ts'

const { audience, db, peers } = await openAudience()

async function givenBusyApp(count: number) {
  const appId = newId()
  const crowd = await givenCrowd(db, { appId, count })
  await givenNotified(db, crowd.slice(0, 10))
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

// spec: administration/delete-app
test('a deleted app’s rows go in several calls, except its ended fan-outs; other apps keep theirs', async () => {
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
  expect(await findFanOut(db, campaignId)).toMatchObject({ send: null, target: null, dueAt: null })
  expect((await findFanOut(db, other.campaignId))?.settledAt).toBeNull()
})

test('a send that begins after its app was deleted fails and queues nothing', async () => {
  const appId = newId()
  peers.gone.add(appId)
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })

  await fanOutAll(audience, campaignId)

  expect(peers.failures.filter((failure) => failure.campaignId === campaignId)).toMatchObject([{ code: 'not_found' }])
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'failed', dueAt: null })
})

test('a batch that is finished while its app is erased is deleted too, with its retries', async () => {
  const { appId } = await givenBusyApp(20)
  peers.gone.add(appId)
  const [touched, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const finishing = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: string }>`update batches set takes = takes + 1 where app_id = ${appId} returning id`.execute(trx)
    const retry = { places: [0], subscriptionIds: [newId()], userIds: [newId()], tries: 1, inMs: 0, agoMs: 0, code: null, providerCode: '' }
    await insertRetries(
      trx,
      rows.map(({ id }) => ({ ...retry, id: newId(), retryOf: id })),
    )
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

const eraseWhole = async (appId: string) => {
  while (!(await eraseApp({ db }, { appId })).done);
}
const toRegister = (externalId: string) => ({ platform: 'ios' as const, token: newId(), externalId })

test('devices, segments and batches that another transaction commits while their app is erased are deleted too', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 20 })
  const [begun, registered, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held: Audience['commit'] = (_, work) =>
    db.transaction().execute(async (trx) => {
      const done = await work(trx)
      begun.resolve()
      await release.promise
      return done
    })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  const starting = fanOut({ ...audience, commit: held }, { campaignId, page: 0 })
  const registering = db.transaction().execute(async (trx) => {
    await givenDevice(trx, { appId, externalId: 'ada' })
    await insertSegment(trx, { id: newId(), appId, segment: { name: 'mine', definition: {} } })
    registered.resolve()
    await release.promise
  })
  await Promise.all([begun.promise, registered.promise])

  const erasing = eraseWhole(appId)
  const waits = until(async () => {
    const own = sql`(select oid from pg_database where datname = current_database())`
    return (await sql`select from pg_locks where not granted and database = ${own}`.execute(db)).rows.length > 0
  })
  await Promise.race([erasing, waits])
  release.resolve()
  await Promise.all([starting, registering, erasing])

  expect(Object.values(await countRows(appId)).every((count) => count === 0)).toBe(true)
  await clearSettled(db)
  expect(await findFanOut(db, campaignId)).toMatchObject({ send: null, target: null, dueAt: null })
})

test('when an app is deleted, a send of the app that queued nothing ends too, and its content is deleted', async () => {
  const appId = newId()
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOutAll(audience, campaignId)
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'fanned_out', dueAt: null, settledAt: null })

  await eraseWhole(appId)
  await clearSettled(db)

  expect(await findFanOut(db, campaignId)).toMatchObject({ send: null, settings: null })
})

test('when a pointer arrives after its app was erased, no fan-out is made and no other service is told', async () => {
  const [appId, other] = [newId(), newId()]
  for (const app of [appId, other]) await givenCrowd(db, { appId: app, count: 20 })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  const inWaves = peers.givenCampaign(givenSend(appId, { userTimezone: { localTime: '12:00', after: new Date().toISOString() } }), {
    kind: 'all',
  })
  const others = peers.givenCampaign(givenSend(other), { kind: 'all' })
  await eraseWhole(appId)

  // The three sends begin at the same time, so that the two without waves may share a commit.
  expect(await Promise.all([campaignId, inWaves, others].map((id) => fanOut(audience, { campaignId: id, page: 0 })))).toEqual([0, 0, 1])
  expect(await findFanOut(db, campaignId)).toBeUndefined()
  expect(await findFanOut(db, inWaves)).toBeUndefined()
  expect(await countRows(appId)).toMatchObject({ batches: 0, cap_claims: 0 })
  expect([...peers.started, ...peers.failures.map((failure) => failure.campaignId)]).not.toContain(campaignId)
  expect(await findFanOut(db, others)).toMatchObject({ state: 'fanned_out', queued: { ios: 20 } })
})

test('registrations, logins, logouts, changes of users and new segments of an erased app are answered with not_found and write nothing', async () => {
  const appId = newId()
  const { id: subscriptionId } = await givenDevice(db, { appId, externalId: 'eve' })
  // The app is only marked, as after the first of the many calls that erase a large app.
  await sql`insert into erased_apps (app_id) values (${appId})`.execute(db)

  for (const late of [
    () => registerSubscription({ db }, { appId, subscription: toRegister('ada') }),
    () => loginSubscription({ db }, { appId, subscriptionId, externalId: 'ada' }),
    () => logoutSubscription({ db }, { appId, subscriptionId }),
    () => changeUser({ db }, { appId, user: { externalId: 'ada' }, changes: { tags: { plan: 'pro' } } }),
    () => create({ db }, { appId, segment: { name: 'mine', definition: {} } }),
  ])
    await expect(late()).rejects.toMatchObject({ code: 'not_found' })
  expect(await countRows(appId)).toMatchObject({ users: 1, subscriptions: 1, segments: 0 })

  await eraseWhole(appId)
  expect(await countRows(appId)).toMatchObject({ users: 0, subscriptions: 0 })
})

test('when an app is deleted during registrations and sends, only emptied fan-outs are left, and later registrations get not_found', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 500 })
  let erasing = true
  const refused: unknown[] = []
  const busy = Array.from({ length: 4 }, async (_, worker) => {
    for (let n = 0; erasing || n < 5; n += 1) {
      const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
      await fanOut(audience, { campaignId, page: 0 })
      await registerSubscription({ db }, { appId, subscription: toRegister(`user-${n % 3}`) }).catch((error: unknown) =>
        refused.push(error),
      )
      await create({ db }, { appId, segment: { name: `${worker}.${n}`, definition: {} } }).catch((error: unknown) => refused.push(error))
    }
  })
  await until(async () => (await countRows(appId))['segments']! > 8)
    .then(() => eraseWhole(appId))
    .finally(() => (erasing = false))
  await Promise.all(busy)

  expect(Object.values(await countRows(appId)).every((count) => count === 0)).toBe(true)
  await clearSettled(db)
  const { rows } = await sql`select from fan_outs where app_id = ${appId} and num_nonnulls(send, target, due_at) > 0`.execute(db)
  expect(rows).toEqual([])
  expect(refused.length).toBeGreaterThan(0)
  for (const error of refused) expect(error).toMatchObject({ code: 'not_found' })
})

test('the mark of an erased app is deleted after the days of its retention, and not earlier', async () => {
  const [late, old] = [newId(), newId()]
  await sql`insert into erased_apps (app_id, at) values (${late}, now() - interval '6 days'), (${old}, now() - interval '8 days')`.execute(
    db,
  )
  await deleteOldErasedApps(db, 7)
  const { rows } = await sql`select app_id from erased_apps where app_id in (${late}, ${old})`.execute(db)
  expect(rows).toEqual([{ app_id: late }])
})
