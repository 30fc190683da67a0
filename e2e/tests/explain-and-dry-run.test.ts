import type { Explained, ExplainedStep, StepOf, Trace } from '@herald/contracts/explain'
import { givenTenant, type Device, type Tenant } from '@herald/testing/tenant'
import { beforeAll, expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { recordedPushes } from '../chaos/scenario-result.ts'
import { givenDevices, ledgerOf, ok, sendCampaign, untilSettled, type Json } from './campaigns.ts'
import { byPlatform, dryRunsOf, givenAudience, noRules, skipsOf, skipsSaid, type Member } from './dry-runs.ts'

// What a dry run says before a send and what explain says after it, compared with what happened. Tests of gateway, audience and tracker prove each step.

const herald = await sharedPlatform()
let tenant: Tenant
let crowd: Member[]
let app: ReturnType<typeof dryRunsOf>

beforeAll(async () => {
  tenant = await givenTenant(herald)
  crowd = await givenAudience(tenant)
  app = dryRunsOf(tenant)
})

const content = {
  _default: 'en',
  en: { title: 'Hello {{ tags.name }}', body: 'You have {{ tags.orders }} orders.', url: 'https://shop.example/{{ user.externalId }}' },
  de: { title: 'Hallo {{ tags.name }}', body: 'Es gibt Neues.', actions: [{ id: 'open', title: 'Öffnen' }] },
}

const ask = (of: Tenant, campaignId: string, whom: Record<string, string>) =>
  of.admin<Explained>('GET', `/explain?${new URLSearchParams({ campaignId, ...whom }).toString()}`)
async function traceOf(campaignId: string, subscriptionId: string): Promise<Trace> {
  const { devices } = ok(await ask(tenant, campaignId, { subscriptionId }), 200)
  expect(devices).toHaveLength(1)
  return devices[0]!
}
const stepOf = <Name extends ExplainedStep['step']>({ steps }: Trace, name: Name): StepOf<Name> | undefined =>
  steps.find((step): step is StepOf<Name> => step.step === name)

// spec: sending/dry-run, administration/explain, administration/explain-steps, administration/explain-certainty, tracking/attempts
test('a dry run says what a send then does, and explain says of every device what the send did', async () => {
  await app.setSettings({ ...noRules, frequencyCap: { max: 1, windowSeconds: 86_400 } })
  await untilSettled(tenant, await app.notify({ target: { externalIds: ['user-1', 'user-2', 'user-3'] }, content }))
  const [dead, late] = [crowd[4]!, crowd[9]!]
  await tenant.simulator('PUT', `/devices/${dead.device.id}/behaviour`, { answer: 'dead' })
  await tenant.simulator('PUT', `/devices/${late.device.id}/behaviour`, { answer: 'unavailable', times: 1 })
  const notification = { target: { segment: { field: 'tags.orders', op: 'lt', value: 5 } }, content }

  const said = await app.dryRun({ notification })
  const id = await app.notify(notification)
  await untilSettled(tenant, id)
  await app.setSettings(noRules)
  const ledger = await ledgerOf(tenant, id)
  const rows = new Map(ledger.map((row) => [row.subscriptionId, row]))
  const patched = await tenant.call('PATCH', `/v1/users/${late.userId}`, { tags: { orders: 6 } })

  expect(patched.status).toBe(200)
  expect(said.audience).toMatchObject({ exact: true, byPlatform: byPlatform(ledger), devices: ledger.length })
  expect(said.audience.users).toBe(new Set(ledger.map(({ userId }) => userId)).size)
  expect(skipsSaid(said)).toEqual(skipsOf(ledger))
  expect(new Set(ledger.map(({ outcome, code }) => `${outcome} ${code}`))).toEqual(
    new Set(['sent null', 'failed token_dead', 'skipped frequency_cap']),
  )
  for (const [place, { id: subscriptionId }] of crowd.entries()) {
    const trace = await traceOf(id, subscriptionId)
    const row = rows.get(subscriptionId)
    const stops = trace.steps.filter(({ result }) => result === 'stop').map(({ step }) => step)
    const without = { verdict: 'not_queued', stop: place % 11 === 10 ? 'reachable' : 'segment', attempts: 0 }
    const attempts = stepOf(trace, 'attempts')?.attempts.length ?? 0
    expect({ verdict: trace.verdict, stop: row ? undefined : stops.join(), attempts }).toEqual(
      row ? { verdict: row.outcome, stop: undefined, attempts: row.attempts } : without,
    )
    expect(trace.certainty === 'recorded').toBe(row !== undefined)
  }
  // The retried push was sent, and explain says that its user would not match the segment any more.
  const retried = await traceOf(id, late.id)
  expect(stepOf(retried, 'attempts')?.attempts.map(({ code }) => code)).toEqual(['provider_unavailable', null])
  expect(stepOf(retried, 'segment')).toMatchObject({ result: 'info', changedSince: true, leaves: [{ actual: 6, matched: false }] })
}, 120_000)

// spec: sending/dry-run-samples
test('a dry run’s sample payloads are what the provider gets, apart from msgId, tag, collapse key and token', async () => {
  const chosen = [0, 1, 2, 31, 33, 55, 56].map((index) => crowd[index]).filter((one) => one !== undefined)
  const notification = {
    target: { subscriptionIds: chosen.map(({ id }) => id) },
    content,
    data: { order: '17' },
    presentation: { sound: 'default', badge: 3 },
    overrides: { ios: { aps: { category: 'ORDER' } }, android: { direct_boot_ok: true }, web: { renotify: true } },
  }

  const { samples } = await app.dryRun({ notification, samples: { subscriptionIds: chosen.map(({ id }) => id) } })
  const id = await app.notify(notification)
  await untilSettled(tenant, id)

  const received = new Map<string, unknown>()
  const platformOf = new Map(chosen.map(({ device }) => [device.id, device.platform]))
  for await (const { msgId, deviceId, payload } of recordedPushes(tenant))
    if (campaignOf(msgId) === id) received.set(deviceId, withoutIdentity(platformOf.get(deviceId) ?? 'ios', payload as Json))
  expect(samples.map(({ subscriptionId }) => subscriptionId)).toEqual(chosen.map((one) => one.id))
  expect(samples.map(({ platform, payload }) => withoutIdentity(platform, payload ?? {}))).toEqual(
    chosen.map(({ device }) => received.get(device.id)),
  )
  expect(new Set(samples.map(({ platform }) => platform))).toEqual(new Set(['ios', 'android', 'web']))
  expect(samples.map(({ skip }) => skip)).toEqual(chosen.map(() => null))
  for (const { device } of chosen) expect(JSON.stringify(samples)).not.toContain(device.token ?? device.endpoint)
}, 120_000)

const campaignOf = (msgId: string | null): string | undefined =>
  Buffer.from((msgId ?? '').split('.')[0] ?? '', 'base64url')
    .toString()
    .split('|')[1]

/** Gives a payload without the parts that differ for each push or send: its msgId, the tag made from the msgId, the collapse key, and the token. */
function withoutIdentity(platform: Device['platform'], payload: Json): unknown {
  const copy = structuredClone(payload) as {
    herald?: Json
    data?: Json
    tag?: string
    message?: { token?: string; data: Json; android: { notification?: Json; collapse_key?: string } }
  }
  if (platform === 'ios') delete copy.herald?.['msgId']
  if (platform === 'web') {
    delete copy.data?.['msgId']
    delete copy.tag
  }
  if (platform === 'android' && copy.message) {
    delete copy.message.token
    delete copy.message.data['msgId']
    delete copy.message.android.notification?.['tag']
    delete copy.message.android.collapse_key
  }
  return copy
}

// spec: administration/explain
test('explain refuses a wrong request and names the field, and answers 404 for an unknown campaign, device or user', async () => {
  const [one, other] = [await givenTenant(herald), await givenTenant(herald)]
  const [device] = await givenDevices(one, 'web', 1)
  const id = await sendCampaign(one, {}, 'sending')
  await untilSettled(one, id)
  const unknown = '0'.repeat(24)
  const pathsOf = async (campaignId: string, whom: Record<string, string>) => {
    const { status, body } = await one.admin<{ error: { details: { path: string }[] } }>(
      'GET',
      `/explain?${new URLSearchParams({ campaignId, ...whom }).toString()}`,
    )
    return [status, ...body.error.details.map(({ path }) => path)]
  }

  expect(await pathsOf(id, {})).toEqual([422, 'subscriptionId'])
  expect(await pathsOf(id, { subscriptionId: device!.id, userId: device!.userId })).toEqual([422, 'subscriptionId'])
  expect(await pathsOf('nothing', { subscriptionId: device!.id })).toEqual([422, 'campaignId'])
  expect((await ask(one, unknown, { subscriptionId: device!.id })).status).toBe(404)
  expect((await ask(one, id, { subscriptionId: unknown })).status).toBe(404)
  expect((await ask(one, id, { userId: unknown })).status).toBe(404)
  expect((await ask(one, id, { externalId: 'nobody' })).status).toBe(404)
  expect((await ask(other, id, { subscriptionId: device!.id })).status).toBe(404)
})

// spec: administration/explain-by-key
test("a secret key reads its own app's explain and breakdown like the administration, without tokens; another's is 404", async () => {
  const other = await givenTenant(herald)
  const { device, id: subscriptionId } = crowd[0]!
  const id = await app.notify({ target: { subscriptionIds: crowd.map((member) => member.id) }, content })
  await untilSettled(tenant, id)

  const explained = await tenant.call('GET', `/v1/campaigns/${id}/explain?subscriptionId=${subscriptionId}`)
  const breakdown = await tenant.call('GET', `/v1/campaigns/${id}/breakdown`)

  expect(ok(explained, 200)).toEqual(ok(await ask(tenant, id, { subscriptionId }), 200))
  expect(ok(breakdown, 200)).toEqual(ok(await tenant.admin('GET', `/campaigns/${id}/breakdown`), 200))
  const shown = JSON.stringify([explained.body, breakdown.body])
  for (const secret of [device.token, device.endpoint, device.keys?.auth, device.keys?.p256dh].filter((one) => one !== undefined))
    expect(shown).not.toContain(secret)
  for (const path of [`explain?subscriptionId=${subscriptionId}`, 'breakdown'])
    expect(await other.call('GET', `/v1/campaigns/${id}/${path}`)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  expect(await tenant.call('GET', `/v1/campaigns/${id}/explain`)).toMatchObject({
    status: 422,
    body: { error: { details: [{ path: 'subscriptionId' }] } },
  })
}, 60_000)
