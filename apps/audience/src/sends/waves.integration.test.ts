import { defaultSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import { newId } from '@herald/contracts/ids'
import { dateAfter, instantOf, localDateAt } from '@herald/contracts/local-time'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { cutPage } from './cut-page.ts'
import { dryRun } from './dry-run.ts'
import { fanOut } from './fan-out.ts'
import { readWaves } from './read-waves.ts'
import { clearSettled, clearWaves, settleFanOuts } from './store/settled.ts'
import { findFanOut } from './store/fan-outs.ts'
import { listTimeZones } from './store/zones.ts'
import { sweepDue } from '../sweep-due.ts'
import { fanOutAll, givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const { startProcess, audience, db, peers } = await openAudience()

const zones = Intl.supportedValuesOf('timeZone')
  .filter((_, index) => index % 10 === 0)
  .slice(0, 40)

const giveZones = (appId: string, names: (string | null)[]) =>
  sql`
    update users set timezone = given.zone
    from (select id, (${names}::text[])[1 + (row_number() over (order by id))::int % ${names.length}::int] as zone from users where app_id = ${appId}) as given
    where users.id = given.id`.execute(db)

const batchesOf = (campaignId: string) => db.selectFrom('batches').selectAll().where('campaign_id', '=', campaignId).orderBy('id').execute()
const queuedIn = async (campaignId: string) => (await batchesOf(campaignId)).flatMap((batch) => batch.subscription_ids).toSorted()
const finishBatches = (campaignId: string) =>
  sql`update batches set done_at = now(), due_at = null where campaign_id = ${campaignId}`.execute(db)

/** Finishes the batches of a send, and makes the instant of its next wave come now. */
async function beginNextWave(campaignId: string): Promise<void> {
  await finishBatches(campaignId)
  await sql`update fan_outs set due_at = now() where campaign_id = ${campaignId} and state = 'between_waves'`.execute(db)
  await sweepDue(audience)
}

async function cutWave(campaignId: string): Promise<void> {
  for (let cut = 1; cut > 0;) {
    const row = await findFanOut(db, campaignId)
    cut = await fanOut(audience, { campaignId, page: row?.page ?? 0 })
    await finishBatches(campaignId)
  }
}

const atLocal = (appId: string, localTime: string, change: Partial<FrozenSend> = {}): FrozenSend =>
  givenSend(appId, { userTimezone: { localTime, after: new Date().toISOString() }, ...change })

/** Gives the local time of a zone as it will be in this many minutes; a negative number means in the past. */
function clockIn(zone: string, minutes: number): string {
  const at = new Date(Date.now() + minutes * 60_000)
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at)
}

// spec: campaigns/waves-once
test('each of 10,000 users in 40 time zones gets one push, also users who move to another zone between waves', async () => {
  const appId = newId()
  const crowd = await givenCrowd(db, { appId, count: 10_000 })
  await giveZones(appId, [...zones.slice(1), null])
  const send = atLocal(appId, clockIn('UTC', 1))
  const campaignId = peers.givenCampaign(send, { kind: 'all' })

  await fanOut(audience, { campaignId, page: 0 })
  const planned = (await findFanOut(db, campaignId))?.waves ?? []
  expect(planned.flatMap((wave) => wave.zones).toSorted()).toEqual(['', ...zones.slice(1)].toSorted())
  expect(planned.length).toBeGreaterThan(15)
  for (const { at, zones: ofWave } of planned) {
    for (const zone of ofWave.filter((name) => name !== ''))
      expect(clockIn(zone, (Date.parse(at) - Date.now()) / 60_000)).toBe(send.userTimezone?.localTime)
  }
  for (let wave = 0; wave < planned.length; wave += 1) {
    await beginNextWave(campaignId)
    expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'running', wave })
    await cutWave(campaignId)
    expect(peers.lastReport(campaignId)?.fannedOut).toBe(wave === planned.length - 1)
    await sql`
      update users set timezone = (${zones}::text[])[1 + (random() * 39)::int] where app_id = ${appId} and random() < 0.01`.execute(db)
  }

  expect(await queuedIn(campaignId)).toEqual(crowd)
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'fanned_out', queued: { ios: 10_000 }, dueAt: null })
})

/**
 * Gives an app with users in zones whose clocks show one local time long ago (90 minutes), a little ago (30), now, in an hour and in five and a half,
 * and a send at that time. None of the zones changes its clocks.
 */
async function givenDatedSend(change: { expired: number; late: number; now: number; soon: number; later: number }) {
  const appId = newId()
  const zoneOf = { expired: 'Asia/Bangkok', late: 'Asia/Dhaka', now: 'Asia/Kolkata', soon: 'Asia/Kabul', later: null } as const
  const devices = { expired: [], late: [], now: [], soon: [], later: [] } as Record<keyof typeof zoneOf, { id: string; userId: string }[]>
  for (const name of ['expired', 'late', 'now', 'soon', 'later'] as const) {
    for (let n = 0; n < change[name]; n += 1) {
      const device = await givenDevice(db, { appId })
      await db.updateTable('users').set({ timezone: zoneOf[name] }).where('id', '=', device.userId).execute()
      devices[name].push(device)
    }
  }
  const asked = new Date()
  const moment = { date: localDateAt(asked, zoneOf.now), localTime: clockIn(zoneOf.now, 0), lateMinutes: 60 }
  const send = givenSend(appId, { userTimezone: { ...moment, after: asked.toISOString() } })
  return {
    appId,
    send,
    devices,
    idsOf: (...names: (keyof typeof zoneOf)[]) => names.flatMap((name) => devices[name].map(({ id }) => id)).toSorted(),
  }
}

// spec: campaigns/user-timezone-date, sending/dry-run, administration/waves, tracking/skip-reasons
test('a dated send skips zones where it is too late, goes at once a little late, and later elsewhere', async () => {
  const { appId, send, devices, idsOf } = await givenDatedSend({ expired: 4, late: 3, now: 2, soon: 2, later: 1 })

  const said = await dryRun(audience, {
    ...{ appId, send, target: { kind: 'all' }, startsAt: null },
    samples: { subscriptionIds: [...idsOf('expired').slice(0, 1), ...idsOf('late').slice(0, 1)] },
  })
  expect(said.skips).toEqual([{ reason: 'expired', devices: 4, estimated: null }])
  expect(said.waves.map((wave) => wave.devices)).toEqual([5, 2, 1])
  expect(said.samples.map(({ skip }) => skip)).toEqual(['expired', null])

  const campaignId = peers.givenCampaign(send, { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  const skipped = () => batchesOf(campaignId).then((batches) => batches.flatMap(({ decided }) => decided ?? []))
  const sent = () =>
    batchesOf(campaignId).then((batches) => batches.flatMap((batch) => (batch.decided ? [] : batch.subscription_ids)).toSorted())
  // What goes out at once is out before any other wave begins, and what is expired is skipped at once.
  expect((await skipped()).map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(idsOf('expired'))
  expect(await sent()).toEqual(idsOf('late', 'now'))

  // A user who moves into a zone that was too late still gets the send, and one who moves out of it was skipped already.
  const move = (device: { userId: string } | undefined, timezone: string) =>
    db
      .updateTable('users')
      .set({ timezone })
      .where('id', '=', device?.userId ?? '')
      .execute()
  await move(devices.soon[0], 'Asia/Bangkok')
  await move(devices.expired[0], 'Asia/Kabul')
  for (const _ of ['soon', 'later']) {
    await beginNextWave(campaignId)
    await cutWave(campaignId)
  }

  expect(await sent()).toEqual(idsOf('late', 'now', 'soon', 'later'))
  expect((await skipped()).map(({ outcome, code }) => `${outcome} ${code}`)).toEqual(Array(4).fill('skipped expired'))
  expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 12 } })
  const { waves } = await readWaves({ db }, { appId, campaignId })
  expect(waves.map(({ expired, queued, state }) => [expired, queued, state])).toEqual([
    [true, 4, 'done'],
    [false, 5, 'done'],
    [false, 1, 'done'],
    [false, 2, 'done'],
  ])
})

// spec: campaigns/user-timezone-date
test('when a date passed too long ago in every user’s zone, the whole send is skipped as expired and ends', async () => {
  const { send, idsOf } = await givenDatedSend({ expired: 2, late: 0, now: 0, soon: 0, later: 0 })
  const campaignId = peers.givenCampaign(send, { kind: 'all' })

  await fanOutAll(audience, campaignId)

  expect((await batchesOf(campaignId)).flatMap(({ decided }) => decided?.map(({ code }) => code) ?? [])).toEqual(['expired', 'expired'])
  expect(await queuedIn(campaignId)).toEqual(idsOf('expired'))
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'fanned_out', queued: { ios: 2 } })
})

// spec: campaigns/waves-once
test('a user who moves to a zone whose wave is over, or was not planned, gets the last wave', async () => {
  const appId = newId()
  const [early, late, unplanned] = [await givenDevice(db, { appId }), await givenDevice(db, { appId }), await givenDevice(db, { appId })]
  const move = (userId: string, zone: string) => db.updateTable('users').set({ timezone: zone }).where('id', '=', userId).execute()
  await move(early.userId, 'Asia/Tokyo')
  await move(late.userId, 'Europe/Berlin')
  await move(unplanned.userId, 'Asia/Tokyo')
  // The local time of the send came in Tokyo a minute ago, and comes in Berlin hours later.
  const after = new Date(Date.now() - 3 * 60_000).toISOString()
  const campaignId = peers.givenCampaign(givenSend(appId, { userTimezone: { localTime: clockIn('Asia/Tokyo', -1), after } }), {
    kind: 'all',
  })
  await move(unplanned.userId, 'Europe/Berlin')

  await fanOut(audience, { campaignId, page: 0 })
  expect(await queuedIn(campaignId)).toEqual([early.id])
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'between_waves', wave: 1, cursor: '' })
  await move(early.userId, 'Europe/Berlin')
  await move(late.userId, 'Asia/Tokyo')
  await move(unplanned.userId, 'Pacific/Chatham')
  await beginNextWave(campaignId)
  await cutWave(campaignId)

  expect(await queuedIn(campaignId)).toEqual([early.id, late.id, unplanned.id].toSorted())
})

test('when a wave’s page is lost meanwhile its claims are undone, and each device gets one push', async () => {
  const appId = newId()
  const crowd = await givenCrowd(db, { appId, count: 20 })
  await giveZones(appId, ['Asia/Tokyo', 'Europe/Berlin'])
  const campaignId = peers.givenCampaign(atLocal(appId, '12:00'), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  const row = (await findFanOut(db, campaignId))!

  const uncut = { ...row, send: row.send!, settings: row.settings! }
  expect(await cutPage(audience, uncut, { kind: 'all' }, async () => undefined)).toBe('lost')
  for (let wave = 0; wave < row.waves!.length; wave += 1) {
    await beginNextWave(campaignId)
    await cutWave(campaignId)
  }

  expect(await queuedIn(campaignId)).toEqual(crowd)
})

// spec: campaigns/waves
test('a wave does not begin before its instant, however many pointers at its page are published', async () => {
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(atLocal(appId, clockIn('UTC', 30)), { kind: 'all' })

  await fanOut(audience, { campaignId, page: 0 })
  await fanOut(audience, { campaignId, page: 0 })
  await fanOut(audience, { campaignId, page: 1 })
  await sweepDue(audience)

  expect(await queuedIn(campaignId)).toEqual([])
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'between_waves', page: 1, toldPage: 1 })
  expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: false })
  await beginNextWave(campaignId)
  await cutWave(campaignId)
  expect(await queuedIn(campaignId)).toHaveLength(1)
})

/** Gives quiet hours that in this zone began an hour ago and end in an hour. */
const quietIn = (zone: string, action: 'hold' | 'skip') => ({ start: clockIn(zone, -60), end: clockIn(zone, 60), action })
const givenQuietApp = async (action: 'hold' | 'skip') => {
  const appId = newId()
  const [asleep, awake] = [await givenDevice(db, { appId }), await givenDevice(db, { appId })]
  await db.updateTable('users').set({ timezone: 'Asia/Tokyo' }).where('id', '=', asleep.userId).execute()
  await db.updateTable('users').set({ timezone: 'America/Lima' }).where('id', '=', awake.userId).execute()
  peers.settings.set(appId, { ...defaultSettings, defaultTimezone: 'America/Lima', quietHours: quietIn('Asia/Tokyo', action) })
  return { appId, asleep, awake }
}

// spec: sending/quiet-hours-hold
test('when quiet hours hold pushes, users in them get the send at their end, and the others now', async () => {
  const { appId, asleep, awake } = await givenQuietApp('hold')
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })

  await fanOut(audience, { campaignId, page: 0 })

  expect(await queuedIn(campaignId)).toEqual([awake.id])
  const row = await findFanOut(db, campaignId)
  expect(row).toMatchObject({ state: 'between_waves' })
  const today = localDateAt(new Date(), 'Asia/Tokyo')
  const ends = [0, 1].map((days) => instantOf(dateAfter(today, days), clockIn('Asia/Tokyo', 60), 'Asia/Tokyo').toISOString())
  expect(ends).toContain(row?.waves?.[1]?.at)
  expect(row?.dueAt?.toISOString()).toBe(row?.waves?.[1]?.at)
  await beginNextWave(campaignId)
  await cutWave(campaignId)
  expect(await queuedIn(campaignId)).toEqual([asleep.id, awake.id].toSorted())
})

test('a send to one user in quiet hours waits for their end as a single wave, and writes no claims', async () => {
  const { appId, asleep } = await givenQuietApp('hold')
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'subscriptionIds', subscriptionIds: [asleep.id] })

  await fanOut(audience, { campaignId, page: 0 })
  expect(await findFanOut(db, campaignId)).toMatchObject({ state: 'between_waves', page: 1 })
  await beginNextWave(campaignId)
  await cutWave(campaignId)

  expect(await queuedIn(campaignId)).toEqual([asleep.id])
  expect((await batchesOf(campaignId)).map(({ lane }) => lane)).toEqual(['prompt'])
  expect(await db.selectFrom('wave_claims').selectAll().where('campaign_id', '=', campaignId).execute()).toEqual([])
})

// spec: sending/quiet-hours-skip, tracking/skip-reasons
test('when an app’s quiet hours skip pushes, those to users in quiet hours are queued, skipped and counted', async () => {
  const { appId, asleep, awake } = await givenQuietApp('skip')
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })

  await fanOutAll(audience, campaignId)

  const batches = await batchesOf(campaignId)
  expect(batches.find(({ decided }) => decided === null)?.subscription_ids).toEqual([awake.id])
  expect(batches.flatMap(({ decided }) => decided ?? [])).toMatchObject([
    { subscriptionId: asleep.id, outcome: 'skipped', code: 'quiet_hours' },
  ])
  expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 2 } })
})

// spec: sending/silent-exempt, sending/bypass
test('quiet hours do not apply to silent pushes, nor to sends that bypass quiet hours', async () => {
  for (const action of ['hold', 'skip'] as const) {
    const { appId, asleep, awake } = await givenQuietApp(action)
    for (const change of [{ silent: true }, { bypass: { quietHours: true } }]) {
      const campaignId = peers.givenCampaign(givenSend(appId, change), { kind: 'all' })
      await fanOutAll(audience, campaignId)
      expect(await queuedIn(campaignId)).toEqual([asleep.id, awake.id].toSorted())
      expect((await batchesOf(campaignId)).every(({ decided }) => decided === null)).toBe(true)
    }
  }
})

test('after a send of several waves is settled its claims are deleted', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 6_000 })
  await giveZones(appId, ['Asia/Tokyo', 'Europe/Berlin'])
  const campaignId = peers.givenCampaign(atLocal(appId, clockIn('UTC', 30)), { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  for (const _ of [1, 2]) {
    await beginNextWave(campaignId)
    await cutWave(campaignId)
  }
  const claims = () => sql`select from wave_claims where campaign_id = ${campaignId}`.execute(db).then(({ rows }) => rows.length)
  expect(await claims()).toBe(6_000)

  await settleFanOuts(db, [campaignId])
  await clearSettled(db)
  while (await clearWaves(db)) continue

  expect(await claims()).toBe(0)
  expect(await findFanOut(db, campaignId)).toMatchObject({ send: null, waves: null })
})

test('the time zones of an app’s users are listed, each once', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 100 })
  await giveZones(appId, ['Asia/Tokyo', null, 'Europe/Berlin'])
  expect((await listTimeZones(db, appId)).toSorted()).toEqual(['Asia/Tokyo', 'Europe/Berlin'])
  expect(await listTimeZones(db, newId())).toEqual([])
})

test('a running audience begins a wave when its instant comes', async () => {
  await startProcess()
  const appId = newId()
  const device = await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(atLocal(appId, clockIn('UTC', 30)), { kind: 'all' })
  await peers.point(campaignId)
  await until(async () => (await findFanOut(db, campaignId))?.toldPage === 1)

  await sql`update fan_outs set due_at = now() where campaign_id = ${campaignId}`.execute(db)

  await until(async () => (await findFanOut(db, campaignId))?.state === 'fanned_out')
  expect(await queuedIn(campaignId)).toEqual([device.id])
})
