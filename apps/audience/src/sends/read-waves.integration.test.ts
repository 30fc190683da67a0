import { readWaves as readWavesCall } from '@herald/contracts/calls/audience'
import type { FrozenSend } from '@herald/contracts/batch'
import { newId } from '@herald/contracts/ids'
import { looksOf } from '@herald/testing/plans'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { changeFlow } from './change-flow.ts'
import { fanOut } from './fan-out.ts'
import { readWaves } from './read-waves.ts'
import { clearSettled, clearWaves, settleFanOuts } from './store/settled.ts'
import { findFanOut } from './store/fan-outs.ts'
import { sweepDue } from '../sweep-due.ts'
import type { Tables } from '../store/tables.ts'
import { fanOutAll, givenCrowd, givenSend, openAudience } from '../testing/rig.ts'

const { audience, bus, db, peers, startProcess, config } = await openAudience()

const zones = ['Asia/Tokyo', 'Europe/Berlin', 'America/Sao_Paulo']
/** Gives every user of an app one of three time zones or, to one user in four, none. */
const giveZones = (appId: string) =>
  sql`
    update users set timezone = given.zone
    from (select id, (${[...zones, null]}::text[])[1 + (row_number() over (order by id))::int % 4] as zone from users where app_id = ${appId}) as given
    where users.id = given.id`.execute(db)

async function givenWaves(appId: string, change: Partial<FrozenSend> = {}) {
  const at = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const localTime = at.format(new Date(Date.now() + 120_000))
  const send = givenSend(appId, { userTimezone: { localTime, after: new Date().toISOString() }, ...change })
  const campaignId = peers.givenCampaign(send, { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  return { appId, campaignId }
}

/** Finishes the batches of a send, makes the instant of its next wave come now, and makes all pages of that wave. */
async function runWave(campaignId: string): Promise<void> {
  await sql`update batches set done_at = now(), due_at = null where campaign_id = ${campaignId}`.execute(db)
  await sql`update fan_outs set due_at = now() where campaign_id = ${campaignId} and state = 'between_waves'`.execute(db)
  await sweepDue(audience)
  for (let cut = 1; cut > 0;) cut = await fanOut(audience, { campaignId, page: (await findFanOut(db, campaignId))?.page ?? 0 })
}

const queuedOf = async (campaignId: string) => (await findFanOut(db, campaignId))?.queued
const sumOf = (waves: readonly { byPlatform: { ios: number; android: number; web: number } }[]) =>
  waves.reduce(
    (sum, { byPlatform: { ios, android, web } }) => ({ ios: sum.ios + ios, android: sum.android + android, web: sum.web + web }),
    {
      ios: 0,
      android: 0,
      web: 0,
    },
  )

// spec: administration/waves
test('an operator sees each wave’s instant, zones and queued pushes, before and after it and when settled', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 1_200 })
  await givenCrowd(db, { appId, count: 400, platform: 'android' })
  await giveZones(appId)
  const of = await givenWaves(appId)
  const planned = (await findFanOut(db, of.campaignId))?.waves ?? []
  expect(planned).toHaveLength(4)

  const before = (await readWaves({ db }, of)).waves
  expect(before.map(({ no, at, zones: ofWave }) => [no, at, ofWave])).toEqual(
    planned.map(({ at, zones: ofWave }, no) => [no + 1, at, ofWave.map((zone) => (zone === '' ? null : zone))]),
  )
  expect(before.map(({ state, queued }) => [state, queued])).toEqual(Array(4).fill(['waiting', 0]))

  for (let wave = 1; wave <= 4; wave += 1) {
    await runWave(of.campaignId)
    const { waves } = await readWaves({ db }, of)
    expect(waves.map(({ state }) => state)).toEqual([...Array(wave).fill('done'), ...Array(4 - wave).fill('waiting')])
    expect(waves.map(({ queued }) => queued)).toEqual([...Array(wave).fill(400), ...Array(4 - wave).fill(0)])
    expect(sumOf(waves)).toEqual(await queuedOf(of.campaignId))
    for (const { queued, byPlatform } of waves) expect(byPlatform.ios + byPlatform.android + byPlatform.web).toBe(queued)
  }

  const { waves } = await readWaves({ db }, of)
  await sql`update batches set done_at = now(), due_at = null where campaign_id = ${of.campaignId}`.execute(db)
  await settleFanOuts(db, [of.campaignId])
  await clearSettled(db)
  while (await clearWaves(db)) continue
  expect((await readWaves({ db }, of)).waves).toEqual(waves)
})

// spec: administration/waves
test('after a cancel a send’s later waves show as cancelled, and the past one as done with its pushes', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 400 })
  await giveZones(appId)
  const of = await givenWaves(appId)
  await runWave(of.campaignId)
  await changeFlow({ ...audience, poke: () => undefined }, { ...of, flow: 'cancelled', no: 1 })

  const { waves } = await readWaves({ db }, of)
  expect(waves.map(({ state, queued }) => [state, queued])).toEqual([
    ['done', 100],
    ['cancelled', 0],
    ['cancelled', 0],
    ['cancelled', 0],
  ])
})

// spec: administration/waves
test('a send to all at once shows one wave; one that has not begun, or is another app’s, none', async () => {
  await startProcess()
  const appId = newId()
  await givenCrowd(db, { appId, count: 30, platform: 'web' })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  const read = (asked: { appId: string; campaignId: string }) => bus.call(readWavesCall, asked)
  expect(await read({ appId, campaignId })).toEqual({ waves: [] })

  await fanOutAll(audience, campaignId)
  const row = await findFanOut(db, campaignId)
  expect(await read({ appId, campaignId })).toEqual({
    waves: [
      {
        no: 1,
        at: row?.startedAt.toISOString(),
        zones: null,
        state: 'done',
        expired: false,
        queued: 30,
        byPlatform: { ios: 0, android: 0, web: 30 },
      },
    ],
  })
  expect(await read({ appId: newId(), campaignId })).toEqual({ waves: [] })
})

test('reading the waves of a send is one look-up by key among 50,000 other sends', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 4 })
  await giveZones(appId)
  const of = await givenWaves(appId)
  await sql`
    insert into fan_outs (campaign_id, app_id, bound_id, state, settled_at, due_at)
    select 'a' || lpad(to_hex(n), 23, '0'), ${appId}, '', 'fanned_out', now(), null from generate_series(1, 50000) as n`.execute(db)
  await sql`vacuum analyze fan_outs`.execute(db)
  const looks = await looksOf<Tables>(config.DATABASE_URL_AUDIENCE, (own) => readWaves({ db: own }, of))
  expect(looks).toHaveLength(1)
  expect(looks.flatMap(({ scanned }) => scanned)).toEqual([])
  expect(looks[0]?.pages).toBeLessThan(10)
})
