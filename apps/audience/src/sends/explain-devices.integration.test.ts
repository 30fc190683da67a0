import { defaultSettings, type AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { ExplainedStep, StepOf } from '@herald/contracts/explain'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { changeUser, changeUsers } from '../people/change-users.ts'
import { dropCampaigns } from './drop-campaigns.ts'
import { explainDevices, findDevicesOf } from './explain-devices.ts'
import { fanOut } from './fan-out.ts'
import { clearSettled, clearWaves } from './store/settled.ts'
import { findFanOut } from './store/fan-outs.ts'
import { patchSubscription } from '../people/store/subscriptions.ts'
import { finished, retried, withBatches } from '../testing/batches.ts'
import { givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const rig = await openAudience()
const { audience, db, peers } = rig
const { takeOne, finish, givenBatch, subscription } = withBatches(rig)

type Device = { subscriptionId: string; no: number | null }
type Asked = { send: FrozenSend; target?: FrozenTarget; settings?: AppSettings; begins?: boolean; devices: Device[] }
const explain = ({ send, target = { kind: 'all' }, settings = defaultSettings, begins = false, devices }: Asked) =>
  explainDevices({ db }, { appId: send.appId, campaignId: send.campaignId, begins, startedAt: null, send, target, settings, devices })
const stepOf = <Name extends ExplainedStep['step']>(steps: ExplainedStep[], name: Name): StepOf<Name> | undefined =>
  steps.find((step): step is StepOf<Name> => step.step === name)
const only = (subscriptionId: string, no: number | null = null): Device[] => [{ subscriptionId, no }]
const changedAt = async (userId: string) =>
  (await db.selectFrom('users').select('changed_at').where('id', '=', userId).executeTakeFirstOrThrow()).changed_at

// spec: tracking/attempts
test('explain shows the provider’s answer to each earlier try of a push, in order', async () => {
  const appId = newId()
  const { id: subscriptionId, userId } = await givenDevice(db, { appId, platform: 'android' })
  const comeBack = async (batchId: string, takes: number, change: Parameters<typeof retried>[1]) => {
    await finish(finished(batchId, takes, { retries: [retried({ subscriptionId, userId }, { retryInMs: 0, ...change })] }))
    const { id } = await db.selectFrom('batches').select('id').where('retry_of', '=', batchId).executeTakeFirstOrThrow()
    return takeOne(id)
  }
  const first = await takeOne(await givenBatch(appId))
  expect(first.trail).toBeUndefined()

  const second = await comeBack(first.batchId, first.takes, { tries: 1, code: 'provider_unavailable', providerCode: '503', agoMs: 60_000 })
  expect(second.trail).toEqual([{ at: expect.any(String), code: 'provider_unavailable', providerCode: '503' }])
  expect(Date.now() - Date.parse(second.trail?.[0]?.at ?? '')).toBeGreaterThan(59_000)
  const untried = await comeBack(second.batchId, second.takes, { tries: 1, code: 'credentials_invalid', providerCode: '403' })
  expect(untried.trail).toEqual(second.trail)
  const third = await comeBack(untried.batchId, untried.takes, { tries: 2, code: 'timeout', providerCode: '' })
  expect(third.trail?.map(({ code }) => code)).toEqual(['provider_unavailable', 'timeout'])

  const [device] = (await explain({ send: givenSend(appId, { campaignId: third.campaignId }), devices: only(subscriptionId, third.no) }))
    .devices
  expect(device?.push).toMatchObject({ is: 'open', verdict: 'in_flight', trail: third.trail, waitingFor: { kind: 'provider' } })
  expect(stepOf(device?.steps ?? [], 'batch')).toMatchObject({ tries: 2, lane: 'prompt' })
})

// spec: running/retention
test('audience keeps the settings and the waves of a settled send, but neither its claims nor its content', async () => {
  const appId = newId()
  const settings: AppSettings = { ...defaultSettings, frequencyCap: { max: 3, windowSeconds: 60 } }
  peers.settings.set(appId, settings)
  const [early, late] = [await givenDevice(db, { appId }), await givenDevice(db, { appId })]
  await sql`update users set timezone = 'Asia/Tokyo' where id = ${early.userId}`.execute(db)
  await sql`update users set timezone = 'America/Lima' where id = ${late.userId}`.execute(db)
  const send = givenSend(appId, { userTimezone: { localTime: '12:00', after: new Date().toISOString() } })
  const campaignId = peers.givenCampaign(send, { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  await sql`insert into wave_claims (campaign_id, subscription_id) values (${campaignId}, ${early.id})`.execute(db)
  const waves = (await findFanOut(db, campaignId))?.waves
  expect(waves).toHaveLength(2)

  await dropCampaigns(rig, [{ campaignIds: [campaignId] }])
  await clearSettled(db)
  while (await clearWaves(db));

  expect(await findFanOut(db, campaignId)).toMatchObject({ send: null, target: null, settings, waves: null, pastWaves: waves })
  expect(await db.selectFrom('wave_claims').selectAll().where('campaign_id', '=', campaignId).execute()).toEqual([])
  const [device] = (await explain({ send, devices: only(late.id) })).devices
  expect(stepOf(device?.steps ?? [], 'wave')).toMatchObject({ zone: 'America/Lima', of: 2 })
  expect(stepOf(device?.steps ?? [], 'frequency_cap')).toMatchObject({ max: 3, windowSeconds: 60 })
})

// spec: campaigns/user-timezone-date, administration/explain-steps
test('explain says that a send’s date had passed in a user’s zone, before it begins and after the skip', async () => {
  const appId = newId()
  const { id, userId } = await givenDevice(db, { appId })
  await sql`update users set timezone = 'Asia/Tokyo' where id = ${userId}`.execute(db)
  const userTimezone = { localTime: '12:00', date: '2026-01-01', lateMinutes: 60, after: '2026-01-01T12:00:00.000Z' }
  const send = givenSend(appId, { userTimezone })
  const waveOf = async (begins: boolean) => stepOf((await explain({ send, begins, devices: only(id) })).devices[0]?.steps ?? [], 'wave')
  expect(await waveOf(true)).toMatchObject({ result: 'stop', expired: true, zone: 'Asia/Tokyo', wave: null })

  await fanOut(audience, { campaignId: peers.givenCampaign(send, { kind: 'all' }), page: 0 })

  expect(await waveOf(false)).toMatchObject({ result: 'stop', expired: true, wave: 1, of: 1 })
})

test('audience remembers when a field that segments ask for last changed; a request that changes nothing does not count', async () => {
  const appId = newId()
  const { userId } = await givenDevice(db, { appId, externalId: `person-${appId}` })
  const change = (changes: Parameters<typeof changeUser>[1]['changes']) => changeUser({ db }, { appId, user: { userId }, changes })
  expect(await changedAt(userId)).toBeNull()

  await change({ tags: { plan: 'pro' }, language: 'de' })
  const first = await changedAt(userId)
  expect(first).not.toBeNull()
  await change({ tags: { plan: 'pro' }, language: 'de' })
  await changeUsers({ db }, { appId, users: [{ externalId: `person-${appId}`, tags: { plan: 'pro' } }] })
  expect(await changedAt(userId)).toEqual(first)
  await change({ tags: { plan: null } })
  const second = await changedAt(userId)
  expect(second?.getTime()).toBeGreaterThan(first?.getTime() ?? 0)
  await changeUsers({ db }, { appId, users: [{ externalId: `person-${appId}`, timezone: 'Asia/Tokyo' }] })
  expect((await changedAt(userId))?.getTime()).toBeGreaterThan(second?.getTime() ?? 0)
})

// spec: administration/explain-steps
test('audience remembers since when a device is opted out, and which campaign and answer invalidated it', async () => {
  const appId = newId()
  const [out, dead] = [await givenDevice(db, { appId }), await givenDevice(db, { appId })]
  const optIn = (optedIn: boolean) => patchSubscription(db, { appId, subscriptionId: out.id, changes: { optedIn } })
  await optIn(false)
  const { opted_out_at: since } = await subscription(out.id)
  await optIn(false)
  expect((await subscription(out.id)).opted_out_at).toEqual(since)
  expect(since).not.toBeNull()

  const { batchId, takes, campaignId } = await takeOne(await givenBatch(appId))
  const found = { subscriptionId: dead.id, userId: dead.userId, tokenVersion: 1, agoMs: 0, deadSince: null, code: 'token_dead' }
  await finish(finished(batchId, takes, { dead: [found] }))
  const { devices } = await explain({ send: givenSend(appId), begins: true, devices: [...only(out.id), ...only(dead.id)] })
  expect(stepOf(devices[0]?.steps ?? [], 'reachable')).toMatchObject({ result: 'stop', optedIn: false, optedOutAt: since?.toISOString() })
  expect(stepOf(devices[1]?.steps ?? [], 'reachable')).toMatchObject({ result: 'stop', invalidatedBy: { code: 'token_dead', campaignId } })

  await optIn(true)
  const [again] = (await explain({ send: givenSend(appId), begins: true, devices: only(out.id) })).devices
  expect(stepOf(again?.steps ?? [], 'reachable')).toMatchObject({ result: 'pass', optedOutAt: null })
})

test('each condition of the largest segment is explained for each of a hundred devices', async () => {
  const appId = newId()
  const ids = await givenCrowd(db, { appId, count: 100, platform: 'android' })
  await sql`update users set tags = '{"n": 7}' where app_id = ${appId}`.execute(db)
  const leaves = Array.from({ length: 100 }, (_, n) => ({ field: 'tags.n', op: 'eq', value: n }))
  const half = (from: number) => ({ or: leaves.slice(from, from + 50) })
  const segment = { or: [half(0), { not: half(50) }] }

  const asked = { send: givenSend(appId), target: { kind: 'segment' as const, segment }, begins: true }
  const { devices } = await explain({ ...asked, devices: ids.map((subscriptionId) => ({ subscriptionId, no: null })) })

  expect(devices).toHaveLength(100)
  for (const { steps } of devices) {
    const step = stepOf(steps, 'segment')
    expect(step?.result).toBe('pass')
    expect(step?.leaves).toHaveLength(100)
    expect(step?.leaves.filter(({ matched }) => matched).map(({ path, actual, wanted }) => [path, actual, wanted])).toEqual([
      ['segment.or.0.or.7', 7, 7],
    ])
  }
})

test('explain finds a push that is in a batch of which the ledger does not know yet', async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const send = givenSend(appId)
  const campaignId = peers.givenCampaign(send, { kind: 'all' })
  peers.state.trackerIsAway = true
  await fanOut(audience, { campaignId, page: 0 }).catch(() => undefined)
  peers.state.trackerIsAway = false

  const [device] = (await explain({ send, devices: only(id) })).devices

  expect(device?.push).toMatchObject({ is: 'open', no: 1, verdict: 'in_flight', waitingFor: { kind: 'window' } })
})

// spec: administration/explain
test('explain finds a user’s devices by either id, but no user and no device of another app', async () => {
  const [appId, other] = [newId(), newId()]
  const { id, userId } = await givenDevice(db, { appId, externalId: `person-${appId}` })
  const found = { user: { id: userId, externalId: `person-${appId}` }, subscriptionIds: [id] }
  expect(await findDevicesOf({ db }, { appId, user: { externalId: `person-${appId}` } })).toEqual(found)
  expect(await findDevicesOf({ db }, { appId, user: { userId } })).toEqual(found)
  expect(await findDevicesOf({ db }, { appId: other, user: { userId } })).toBeNull()

  const [device] = (await explain({ send: givenSend(other), devices: only(id) })).devices
  expect(device).toMatchObject({ platform: null, owner: null, steps: [{ step: 'device', deleted: true }] })
})
