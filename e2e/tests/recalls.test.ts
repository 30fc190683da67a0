import type { Explained } from '@herald/contracts/explain'
import type { Inbox } from '@herald/contracts/inbox'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import {
  devicesOf,
  givenDevices,
  ok,
  pushesOf,
  read,
  sendCampaign,
  textOf,
  untilSettled,
  untilStatus,
  type CampaignPush,
} from './campaigns.ts'
import { identityOf } from './recalls.ts'

const herald = await sharedPlatform()

type Recalled = { id: string; status: string }
const recall = async (tenant: Tenant, id: string, body: object): Promise<string> => {
  const { id: followUp } = ok(await tenant.call<Recalled>('POST', `/v1/campaigns/${id}/recall`, body), 202)
  return followUp
}
const refusal = async (tenant: Tenant, id: string, body: object) => {
  const { status, body: answer } = await tenant.call<{ error: { code: string; message: string; details?: { path: string }[] } }>(
    'POST',
    `/v1/campaigns/${id}/recall`,
    body,
  )
  return [status, answer.error.details?.[0]?.path ?? answer.error.message]
}
const correction = { mode: 'replace', content: textOf('Correction') }
const payloadsOf = (pushes: CampaignPush[], platform: string) =>
  pushes.filter(({ deviceId }) => deviceId.startsWith(platform)).map(({ payload }) => payload)
type Dismissal = { aps: object } | { message: { data: object; android: { collapse_key: string } } }
const askedOf = (payload: Dismissal) =>
  'aps' in payload ? payload : { data: payload.message.data, collapseKey: payload.message.android.collapse_key }
const inOrder = (pushes: CampaignPush[]) => pushes.toSorted((one, other) => (one.deviceId < other.deviceId ? -1 : 1))

/** Makes three devices of each platform and opens the pushes of one of each. Gives the devices that opened nothing. */
async function givenCrowd(tenant: Tenant) {
  const devices = (await Promise.all((['ios', 'android', 'web'] as const).map((platform) => givenDevices(tenant, platform, 3)))).flat()
  const opened = new Set([devices[0], devices[3], devices[6]].map((one) => one!.device.id))
  const open = async (id: string) => {
    for (const { deviceId, msgId } of await pushesOf(tenant, id))
      if (opened.has(deviceId)) ok(await tenant.call('POST', `/v1/e/o/${msgId}`, undefined, { authorization: '' }), 204)
  }
  return {
    devices,
    unopened: devices
      .map(({ device }) => device.id)
      .filter((id) => !opened.has(id))
      .toSorted(),
    open,
  }
}

const variants = ['a', 'b', 'c'].map((id) => ({ id, name: id, weight: 1, content: textOf(`Text ${id}`) }))

// spec: recall/target, recall/identity, recall/quiet, recall/modes
test.each([
  ['a campaign', {}],
  ['a campaign with a collapseId', { collapseId: 'sale 7' }],
  ['an experiment', { experiment: { sampleRate: 1, variants } }],
])('a replacement of %s goes once, mute, to each device that reported no open, with its first push’s identity', async (_, more) => {
  const tenant = await givenTenant(herald)
  const { devices, unopened, open } = await givenCrowd(tenant)
  const id = await sendCampaign(
    tenant,
    { presentation: { sound: 'bell', badge: 3, threadId: 'sale' }, data: { order: '7' }, ...more },
    'sending',
  )
  await untilSettled(tenant, id)
  await open(id)

  const followUp = await recall(tenant, id, correction)

  expect(await untilSettled(tenant, followUp)).toMatchObject({ queued: unopened.length, sent: unopened.length })
  const [first, second] = [await pushesOf(tenant, id), inOrder(await pushesOf(tenant, followUp))]
  expect(first).toHaveLength(devices.length)
  expect(devicesOf(second)).toEqual(unopened)
  const replaced = inOrder(first.filter(({ deviceId }) => unopened.includes(deviceId)))
  expect(second.map(identityOf)).toEqual(replaced.map(identityOf))
  expect(new Set(second.map(({ title }) => title))).toEqual(new Set(['Correction']))
  expect(JSON.stringify(second)).not.toContain('bell')
  const [ios] = payloadsOf(second, 'ios')
  expect(ios).toMatchObject({ order: '7', aps: { 'interruption-level': 'passive', 'thread-id': 'sale' } })
  expect(Object.keys((ios as { aps: object }).aps)).not.toEqual(expect.arrayContaining(['sound', 'badge']))
  expect(payloadsOf(second, 'web')[0]).toMatchObject({ silent: true, data: { order: '7' } })
  expect(await read(tenant, followUp)).toMatchObject({
    recallOf: id,
    audience: { kind: 'reached', of: id, skipOpened: true },
    overrides: null,
    silent: false,
  })
})

// spec: recall/dismissal, recall/target
test('a dismissal asks phones to remove the first push by its identity, also opened ones if asked, and skips browsers', async () => {
  const tenant = await givenTenant(herald)
  const { devices, open } = await givenCrowd(tenant)
  const id = await sendCampaign(tenant, {}, 'sending')
  await untilSettled(tenant, id)
  await open(id)

  const followUp = await recall(tenant, id, { mode: 'dismiss', skipOpened: false })

  expect(await untilSettled(tenant, followUp)).toMatchObject({ queued: devices.length, sent: 6, skipped: 3 })
  const [first, second] = [await pushesOf(tenant, id), inOrder(await pushesOf(tenant, followUp))]
  const ofPhones = inOrder(first.filter(({ deviceId }) => !deviceId.startsWith('web')))
  expect(second.map(({ deviceId }) => deviceId)).toEqual(ofPhones.map(({ deviceId }) => deviceId))
  const wanted = ofPhones.map((push, place) => {
    const { collapseId, tag } = identityOf(push)
    const msgId = second[place]!.msgId
    return collapseId === undefined
      ? { data: { msgId, heraldDismiss: tag }, collapseKey: id }
      : { aps: { 'content-available': 1 }, herald: { msgId, dismiss: collapseId } }
  })
  expect(second.map(({ payload }) => askedOf(payload as Dismissal))).toEqual(wanted)
  expect(JSON.stringify(second)).not.toContain('"notification"')
  const collapseIds = (pushes: CampaignPush[]) => pushes.map(({ headers }) => headers['collapseId'])
  expect(collapseIds(second)).toEqual(collapseIds(ofPhones))
  expect(second.filter(({ headers }) => headers['pushType'] === 'background' && headers['priority'] === '5')).toHaveLength(3)
  const web = devices.find(({ device }) => device.platform === 'web')!
  const explained = ok(await tenant.call<Explained>('GET', `/v1/campaigns/${followUp}/explain?subscriptionId=${web.id}`), 200)
  expect(explained.devices[0]).toMatchObject({ verdict: 'skipped', sentence: expect.stringContaining('browser') })
})

// spec: recall/modes, recall/once
test('stop cancels what is unsent and asks no device; a follow-up begins after the last outcome, and the sums hold', async () => {
  const tenant = await givenTenant(herald)
  const devices = await givenDevices(tenant, 'ios', 60)
  const id = await sendCampaign(tenant, { sendRate: { perMinute: 60 } }, 'sending')
  await untilStatus(tenant, id, 'sending')
  const stopped = ok(await tenant.call<Recalled>('POST', `/v1/campaigns/${id}/recall`, { mode: 'stop' }), 202)
  expect(stopped.id).toBe(id)
  const followUp = await recall(tenant, id, correction)

  const { stats } = await untilStatus(tenant, id, 'cancelled')
  expect(stats.queued).toBe(stats.sent + stats.failed + stats.skipped)
  expect(stats.skipped).toBeGreaterThan(0)
  expect(stats.queued).toBeLessThanOrEqual(devices.length)
  expect(await untilSettled(tenant, followUp)).toMatchObject({ queued: stats.sent, sent: stats.sent })
  expect(devicesOf(await pushesOf(tenant, followUp))).toEqual(devicesOf(await pushesOf(tenant, id)))
})

// spec: recall/idempotent
test('a recall that is repeated with its Idempotency-Key gets the first answer, also from parallel requests, and makes one follow-up', async () => {
  const tenant = await givenTenant(herald)
  await givenDevices(tenant, 'ios', 2)
  const id = await sendCampaign(tenant, {}, 'sending')
  await untilSettled(tenant, id)
  const ask = () => tenant.call<Recalled>('POST', `/v1/campaigns/${id}/recall`, correction, { 'idempotency-key': 'oops' })

  const first = await Promise.all([ask(), ask(), ask()])
  const accepted = first.filter(({ status }) => status === 202)
  expect(accepted.length).toBeGreaterThan(0)
  expect(first.filter(({ status }) => status !== 202 && status !== 409)).toEqual([])
  const again = await ask()

  expect(new Set([...accepted, again].map(({ body }) => JSON.stringify(body)))).toHaveLength(1)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  await untilSettled(tenant, again.body.id)
  expect(await pushesOf(tenant, again.body.id)).toHaveLength(2)
})

// spec: recall/refused, recall/body
test('a recall that makes no sense is refused, and the answer names the way out', async () => {
  const tenant = await givenTenant(herald)
  const nobody = await sendCampaign(tenant, { segment: { field: 'platform', op: 'eq', value: 'web' } }, 'sending')
  await untilSettled(tenant, nobody)
  expect(await refusal(tenant, nobody, correction)).toEqual([409, expect.stringContaining('Nothing of the campaign was sent')])
  const { id: draft } = ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name: 'Draft', content: textOf('Hi') }), 201)
  expect(await refusal(tenant, draft, { mode: 'dismiss' })).toEqual([409, expect.stringContaining('Delete it')])
  expect((await refusal(tenant, '1'.repeat(24), { mode: 'dismiss' }))[0]).toBe(404)

  await givenDevices(tenant, 'ios', 1)
  const silent = await sendCampaign(tenant, { content: undefined, silent: true }, 'sending')
  await untilSettled(tenant, silent)
  expect(await refusal(tenant, silent, { mode: 'dismiss' })).toEqual([409, expect.stringContaining('mode stop')])
  const id = await sendCampaign(tenant, {}, 'sending')
  await untilSettled(tenant, id)
  expect(await refusal(tenant, id, { mode: 'replace' })).toEqual([422, 'content'])
  expect(await refusal(tenant, id, { mode: 'dismiss', content: textOf('Hi') })).toEqual([422, 'content'])
  expect(await refusal(tenant, id, { ...correction, templateId: '1'.repeat(24) })).toEqual([422, 'templateId'])
  expect(await refusal(tenant, id, { mode: 'stop', skipOpened: true })).toEqual([422, 'skipOpened'])
  expect((await refusal(tenant, id, { mode: 'replace', templateId: '1'.repeat(24) }))[0]).toBe(404)

  await tenant.simulator('PUT', '/faults', { service: 'apns', latencyMs: 3_000 })
  const followUp = await recall(tenant, id, correction)
  expect(await refusal(tenant, id, { mode: 'dismiss' })).toEqual([409, expect.stringContaining('Another recall')])
  await tenant.simulator('PUT', '/faults', { service: 'apns', latencyMs: 0 })
  expect(await refusal(tenant, followUp, { mode: 'dismiss' })).toEqual([409, expect.stringContaining(id)])
  await untilSettled(tenant, followUp)
  await untilSettled(tenant, await recall(tenant, id, { mode: 'dismiss' }))
})

// spec: recall/inbox
test('in the inbox a replaced item shows the replacement, and a dismissed one is gone and not counted as unread', async () => {
  const tenant = await givenTenant(herald)
  await givenDevices(tenant, 'ios', 1, () => ({ externalId: 'ann' }))
  const inbox = async () => ok(await tenant.call<Inbox>('GET', '/v1/users/by-external-id/ann/inbox'), 200)
  const id = await sendCampaign(tenant, { inbox: true }, 'sending')
  await untilSettled(tenant, id)
  expect(await inbox()).toMatchObject({ items: [{ id, title: 'Hello' }], unread: 1 })

  const replaced = await recall(tenant, id, correction)
  expect(await inbox()).toMatchObject({ items: [{ id, title: 'Correction' }], unread: 1 })
  await untilSettled(tenant, replaced)
  const dismissed = await recall(tenant, id, { mode: 'dismiss' })
  expect((await inbox()).items).toEqual([])
  await untilSettled(tenant, dismissed)

  expect(await inbox()).toEqual({ items: [], unread: 0, nextCursor: null })
})

// spec: recall/explain
test('explain says that devices are asked to replace the first campaign, and why the follow-up leaves a device out', async () => {
  const tenant = await givenTenant(herald)
  const { devices, open } = await givenCrowd(tenant)
  const id = await sendCampaign(tenant, {}, 'sending')
  await untilSettled(tenant, id)
  await open(id)
  const [late] = await givenDevices(tenant, 'ios', 1)
  const followUp = await recall(tenant, id, correction)
  await untilSettled(tenant, followUp)
  const explain = async (campaignId: string, subscriptionId: string) =>
    ok(await tenant.call<Explained>('GET', `/v1/campaigns/${campaignId}/explain?subscriptionId=${subscriptionId}`), 200)

  const ofFirst = await explain(id, devices[1]!.id)
  expect(ofFirst.recalls).toEqual([{ campaignId: followUp, mode: 'replace', status: 'sent' }])
  const asked = (await explain(followUp, devices[1]!.id)).devices[0]!
  expect(asked).toMatchObject({ verdict: 'sent', sentence: expect.stringContaining('asked to show') })
  expect(asked.steps).toContainEqual(expect.objectContaining({ step: 'recall', result: 'pass', of: id, sent: true, opened: false }))
  const opened = (await explain(followUp, devices[0]!.id)).devices[0]!
  expect(opened).toMatchObject({ verdict: 'not_queued', certainty: 'derived', sentence: expect.stringContaining('opened') })
  expect((await explain(followUp, late!.id)).devices[0]).toMatchObject({
    verdict: 'not_queued',
    sentence: expect.stringContaining('was not sent to this device'),
  })
})
