import { defaultSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import { appChanged } from '@herald/contracts/calls/gateway'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fanOut } from './fan-out.ts'
import { claimCap, purgeCapClaims } from './store/claims.ts'
import { fanOutAll, givenCrowd, givenDevice, givenFanOut, givenSend, openAudience } from '../testing/rig.ts'

const { audience, bus, db, peers } = await openAudience()

const capped = (max: number, windowSeconds = 3_600) => ({ ...defaultSettings, frequencyCap: { max, windowSeconds } })
const givenCappedApp = (max: number, windowSeconds?: number): string => {
  const appId = newId()
  peers.settings.set(appId, capped(max, windowSeconds))
  return appId
}
const batchesOf = (campaignId: string) => db.selectFrom('batches').selectAll().where('campaign_id', '=', campaignId).execute()
/** Gives the ids of the devices that a campaign goes to, and of those that it skips because of the cap. */
async function endsOf(campaignId: string): Promise<{ sent: string[]; over: string[] }> {
  const batches = await batchesOf(campaignId)
  return {
    sent: batches
      .filter(({ decided }) => !decided)
      .flatMap((batch) => batch.subscription_ids)
      .toSorted(),
    over: batches
      .flatMap(({ decided }) => decided ?? [])
      .filter(({ code }) => code === 'frequency_cap')
      .map((one) => one.subscriptionId)
      .toSorted(),
  }
}
async function sendTo(appId: string, change: Partial<FrozenSend> = {}) {
  const campaignId = peers.givenCampaign(givenSend(appId, change), { kind: 'all' })
  await fanOutAll(audience, campaignId)
  return { campaignId, ...(await endsOf(campaignId)) }
}

// spec: sending/frequency-cap, sending/frequency-cap-claims
test('when eight campaigns go to the same 600 users at once, each gets exactly as many as the cap allows', async () => {
  const appId = givenCappedApp(3)
  const crowd = await givenCrowd(db, { appId, count: 600 })

  const all = await Promise.all(Array.from({ length: 8 }, () => sendTo(appId)))

  const sent = all.flatMap((campaign) => campaign.sent)
  for (const id of crowd) expect(sent.filter((one) => one === id)).toHaveLength(3)
  expect(all.flatMap(({ over }) => over)).toHaveLength(5 * 600)
  for (const { campaignId } of all) expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, byPlatform: { ios: 600 } })
})

// spec: sending/frequency-cap-claims, tracking/skip-reasons
test('a campaign counts once for the cap of a user with several devices, and goes to all or none', async () => {
  const appId = givenCappedApp(1)
  const phone = await givenDevice(db, { appId })
  const tablet = await givenDevice(db, { appId, userId: phone.userId, platform: 'android' })
  const both = [phone.id, tablet.id].toSorted()

  expect(await sendTo(appId)).toMatchObject({ sent: both, over: [] })
  expect(await sendTo(appId)).toMatchObject({ sent: [], over: both })
})

test('a page that two processes make at once counts the campaign once for each user', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 600 })
  const campaignId = await givenFanOut(db, givenSend(appId), { settings: capped(1) })
  const gate = Promise.withResolvers<void>()
  // When the first of the two calls commits the page, the second call has begun the same page too, or is just about to.
  const twice = [1, 2].map(async () => {
    await gate.promise
    await db.updateTable('fan_outs').set({ lease_until: null }).where('campaign_id', '=', campaignId).execute()
    return fanOut(audience, { campaignId, page: 1 })
  })
  gate.resolve()
  await Promise.all(twice)

  expect(await endsOf(campaignId)).toMatchObject({ over: [] })
  const { rows } = await sql`select from cap_claims where campaign_id = ${campaignId}`.execute(db)
  expect(rows).toHaveLength(600)
})

// spec: sending/rules-frozen
test('a cap that changes after the first page of a send does not apply to its other pages', async () => {
  const appId = givenCappedApp(1)
  const crowd = await givenCrowd(db, { appId, count: 11_000 })
  // The user has a device on each of the three pages.
  const meant = [crowd[3], crowd[5_500], crowd[10_999]].filter((id) => id !== undefined)
  await db.updateTable('subscriptions').set({ browser: 'special' }).where('id', 'in', meant).execute()
  const given = () => peers.givenCampaign(givenSend(appId), { kind: 'segment', segment: { field: 'browser', op: 'eq', value: 'special' } })
  const first = given()
  await fanOutAll(audience, first)
  expect(await endsOf(first)).toEqual({ sent: meant, over: [] })

  const second = given()
  await fanOut(audience, { campaignId: second, page: 0 })
  expect(await endsOf(second)).toEqual({ sent: [], over: meant.slice(0, 1) })
  peers.settings.set(appId, defaultSettings)
  bus.broadcast(appChanged, { appId })
  await until(async () => (await audience.settingsOf(appId))?.frequencyCap === null, { what: 'the new settings' })
  await fanOutAll(audience, second)

  expect(await endsOf(second)).toEqual({ sent: [], over: meant })
})

test('for a user who is erased while a page is made no claim is written', async () => {
  const appId = newId()
  const [kept, erased] = [await givenDevice(db, { appId }), newId()]
  const campaignId = newId()
  await claimCap(db, { appId, campaignId, userIds: [kept.userId, erased], cap: { max: 1, windowSeconds: 60 } })
  const { rows } = await sql<{ user_id: string }>`select user_id from cap_claims where campaign_id = ${campaignId}`.execute(db)
  expect(rows).toEqual([{ user_id: kept.userId }])
})

// spec: sending/frequency-cap
test('a campaign from before the cap’s window does not count for the cap, and its claim is deleted', async () => {
  const appId = givenCappedApp(1, 60)
  const device = await givenDevice(db, { appId })
  const first = await sendTo(appId)
  expect(await sendTo(appId)).toMatchObject({ over: [device.id] })

  await sql`update cap_claims set at = at - interval '61 seconds', expires_at = expires_at - interval '61 seconds' where app_id = ${appId}`.execute(
    db,
  )

  expect(await sendTo(appId)).toMatchObject({ sent: [device.id] })
  await purgeCapClaims(db)
  const kept = await db.selectFrom('cap_claims').select('campaign_id').where('app_id', '=', appId).execute()
  expect(kept).toHaveLength(1)
  expect(kept[0]?.campaign_id).not.toBe(first.campaignId)
})

// spec: sending/silent-exempt, sending/bypass
test('silent pushes and pushes that bypass the frequency cap are sent, and do not count for it', async () => {
  const appId = givenCappedApp(1)
  const device = await givenDevice(db, { appId })

  expect(await sendTo(appId, { silent: true, content: null })).toMatchObject({ sent: [device.id] })
  expect(await sendTo(appId, { bypass: { frequencyCap: true } })).toMatchObject({ sent: [device.id] })
  expect(await sendTo(appId)).toMatchObject({ sent: [device.id] })
  expect(await sendTo(appId, { bypass: { frequencyCap: true } })).toMatchObject({ sent: [device.id] })
  expect(await sendTo(appId)).toMatchObject({ over: [device.id] })
})

// spec: sending/quiet-hours-skip
test('a campaign that skips a user because of quiet hours does not count for the frequency cap of that user', async () => {
  const appId = newId()
  const device = await givenDevice(db, { appId })
  const quiet = { start: '00:00', end: '23:59', action: 'skip' as const }
  const noon = { start: '23:59', end: '00:00', action: 'skip' as const }
  const isMidnight = new Date().toISOString().slice(11, 16) === '23:59'
  peers.settings.set(appId, { ...capped(1), quietHours: isMidnight ? noon : quiet })
  await sendTo(appId)

  expect(await db.selectFrom('cap_claims').selectAll().where('app_id', '=', appId).execute()).toEqual([])
  expect(await sendTo(appId, { bypass: { quietHours: true } })).toMatchObject({ sent: [device.id] })
})

// spec: administration/test-send-exempt
test('a test goes to a user who has used up the frequency cap, and does not count for the cap', async () => {
  const appId = givenCappedApp(2)
  const { id } = await givenDevice(db, { appId })
  const claims = () => db.selectFrom('cap_claims').select('campaign_id').where('app_id', '=', appId).execute()

  const first = await sendTo(appId)
  expect(await sendTo(appId, { test: true })).toMatchObject({ sent: [id], over: [] })
  const second = await sendTo(appId)
  expect(second).toMatchObject({ sent: [id], over: [] })
  expect(await sendTo(appId)).toMatchObject({ sent: [], over: [id] })
  expect(await sendTo(appId, { test: true })).toMatchObject({ sent: [id], over: [] })

  expect((await claims()).map(({ campaign_id }) => campaign_id).toSorted()).toEqual([first.campaignId, second.campaignId].toSorted())
})

// spec: administration/test-send-exempt
test.each(['hold', 'skip'] as const)(
  'a test is sent at once in quiet hours (%s), and reported to the tracker as a test',
  async (action) => {
    const appId = newId()
    const now = new Date()
    const clock = (minutes: number) => new Date(now.getTime() + minutes * 60_000).toISOString().slice(11, 16)
    peers.settings.set(appId, { ...defaultSettings, quietHours: { start: clock(-120), end: clock(120), action } })
    const { id } = await givenDevice(db, { appId })

    const { campaignId, sent } = await sendTo(appId, { test: true })

    expect(sent).toEqual([id])
    expect(peers.lastReport(campaignId)).toMatchObject({ fannedOut: true, test: true, byPlatform: { ios: 1 } })
    const ordinary = await sendTo(appId)
    expect(ordinary.sent).toEqual([])
    expect(peers.lastReport(ordinary.campaignId) ?? {}).not.toHaveProperty('test')
  },
)
