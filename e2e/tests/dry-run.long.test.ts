import { type Herald } from '@herald/testing/herald'
import { givenTenant, type Device, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { onDatabase } from '../chaos/platform.ts'
import { recordedPushes } from '../chaos/scenario-result.ts'
import { ledgerOf, ok, untilSettled, type Json } from './campaigns.ts'
import { byPlatform, dryRunsOf, givenAudience, noRules, skipsOf, skipsSaid, type Member } from './dry-runs.ts'

// Dry runs through the complete platform. Most tests compare the answer of a dry run with the send after it.

const herald = await sharedPlatform()
let tenant: Tenant
let crowd: Member[]
let app: ReturnType<typeof dryRunsOf>

beforeAll(async () => {
  tenant = await givenTenant(herald)
  crowd = await givenAudience(tenant)
  app = dryRunsOf(tenant)
}, 180_000)

const content = {
  _default: 'en',
  en: { title: 'Hello {{ tags.name }}', body: 'You have {{ tags.orders }} orders.', url: 'https://shop.example/{{ user.externalId }}' },
  de: { title: 'Hallo {{ tags.name }}', body: 'Es gibt Neues.', actions: [{ id: 'open', title: 'Öffnen' }] },
}

// spec: sending/dry-run
test('a dry run counts as many devices per platform and as many skips per reason as the send after it has', async () => {
  await app.setSettings({ ...noRules, frequencyCap: { max: 1, windowSeconds: 86_400 } })
  try {
    await untilSettled(tenant, await app.notify({ target: { externalIds: ['user-1', 'user-2', 'user-3'] }, content }))
    const notification = { target: { segment: { field: 'tags.orders', op: 'lt', value: 5 } }, content }

    const said = await app.dryRun({ notification })
    const id = await app.notify(notification)
    await untilSettled(tenant, id)

    const ledger = await ledgerOf(tenant, id)
    expect(said.audience).toMatchObject({ exact: true, byPlatform: byPlatform(ledger), devices: ledger.length })
    expect(said.audience.users).toBe(new Set(ledger.map(({ userId }) => userId)).size)
    expect(skipsSaid(said)).toEqual(skipsOf(ledger))
    expect(said.skips[0]).toMatchObject({ reason: 'frequency_cap', exact: true })
    expect(said.waves).toHaveLength(1)
    expect(said.locales.reduce((sum, { devices }) => sum + devices, 0)).toBe(ledger.length)

    const silent = { target: { all: true }, silent: true, data: { refresh: 'prices' } }
    const saidOfSilent = await app.dryRun({ notification: silent })
    const silentId = await app.notify(silent)
    await untilSettled(tenant, silentId)
    expect(skipsSaid(saidOfSilent)).toEqual(skipsOf(await ledgerOf(tenant, silentId)))
    expect(saidOfSilent.unreachable).toEqual({ optedOut: crowd.filter((_, index) => index % 11 === 10).length, invalidated: 0 })
  } finally {
    await app.setSettings(noRules)
  }
}, 120_000)

// spec: sending/dry-run
test('a dry run writes nothing and sends nothing: every table is the same before and after, and the providers accept no push', async () => {
  const draft = { name: 'Draft', content, schedule: { type: 'user_timezone', localTime: '09:00' } }
  const { id: campaignId } = ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', draft), 201)
  const accepted = () =>
    tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false').then((summary) => summary.accepted.total)
  // Services delete rows of earlier sends in the background, so the test waits until no table has changed for 1.5 s.
  const before = await until(
    async () => {
      const found = await dump(herald)
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      expect(await dump(herald)).toEqual(found)
      return found
    },
    { withinMs: 60_000, what: 'a platform at rest' },
  )
  const heardBefore = await accepted()

  await app.dryRun({ notification: { target: { all: true }, content } })
  await app.dryRun({ campaign: draft, samples: { random: 20, seed: 'a' } })
  await app.dryRun({ campaignId })
  ok(await tenant.call('POST', '/v1/notifications/dry-run', { notification: { target: { all: true }, silent: true } }), 200)

  expect(await dump(herald)).toEqual(before)
  expect(await accepted()).toBe(heardBefore)
}, 120_000)

/** Gives the number of rows and a digest of the rows for every table of every service. */
const dump = (of: Herald): Promise<Record<string, string>> =>
  onDatabase(of, async (client) => {
    const { rows: tables } = await client.query<{ schema: string; name: string }>(`
      select table_schema as schema, table_name as name from information_schema.tables
      where table_schema in ('gateway', 'audience', 'campaigns', 'tracker', 'webhooks') and table_type = 'BASE TABLE' order by 1, 2`)
    const found: Record<string, string> = {}
    for (const { schema, name } of tables) {
      const text = `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from "${schema}"."${name}" t`
      found[`${schema}.${name}`] = (await client.query<{ digest: string }>(text)).rows[0]?.digest ?? ''
    }
    return found
  })

// spec: sending/dry-run-samples
test('the sample payloads of a dry run are those that the provider then gets, apart from msgId, tag and token', async () => {
  const chosen = [0, 1, 2, 31, 33, 55, 56].map((index) => crowd[index]).filter((one) => one !== undefined)
  const notification = {
    target: { subscriptionIds: chosen.map(({ id }) => id) },
    content,
    data: { order: '17' },
    presentation: { sound: 'default', badge: 3 },
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

/** Gives a payload without the parts that differ for each push: its msgId, the tag made from the msgId, and the token. */
function withoutIdentity(platform: Device['platform'], payload: Json): unknown {
  const copy = structuredClone(payload) as {
    herald?: Json
    data?: Json
    tag?: string
    message?: { token?: string; data: Json; android: { notification?: Json } }
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
  }
  return copy
}

// spec: sending/dry-run-warnings, content/cut-at-send
test('for a body of 5,100 bytes a dry run warns that the text is cut, and every payload that it shows is within the limit of its platform', async () => {
  const long = { _default: 'en', en: { title: 'Long', body: '語'.repeat(1_700) } }

  const { bytes, warnings, samples } = await app.dryRun({
    notification: { target: { all: true }, content: long },
    samples: { random: 20, seed: 1 },
  })

  expect(warnings.filter(({ code }) => code === 'body_truncated').map(({ path }) => path)).toEqual(
    Array(3).fill('notification.content.en.body'),
  )
  expect(bytes.map(({ platform, truncated }) => [platform, truncated])).toEqual([
    ['ios', true],
    ['android', true],
    ['web', true],
  ])
  for (const { max, limit } of bytes) expect(max).toBeLessThanOrEqual(limit)
  for (const sample of samples) expect(sample.bytes).toBeLessThanOrEqual(sample.limit)
  const id = await app.notify({ target: { all: true }, content: long })
  const { sent, queued } = await untilSettled(tenant, id)
  expect(sent).toBe(queued)
}, 120_000)

// spec: sending/dry-run-samples
test('a dry run with the same seed chooses the same samples, and one with another seed chooses others', async () => {
  const notification = { target: { all: true }, content }
  const chosen = async (seed: unknown, random = 6) => (await app.dryRun({ notification, samples: { random, seed } })).samples

  const first = await chosen(7)
  expect(first).toHaveLength(6)
  expect(await chosen(7)).toEqual(first)
  expect((await chosen('another')).map(({ subscriptionId }) => subscriptionId)).not.toEqual(
    first.map(({ subscriptionId }) => subscriptionId),
  )
  const few = { target: { externalIds: ['user-0', 'user-1'] }, content }
  const all = await app.dryRun({ notification: few, samples: { random: 20 } })
  expect(all.samples).toHaveLength(all.audience.devices)
}, 60_000)
