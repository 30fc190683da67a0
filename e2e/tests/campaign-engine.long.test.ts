import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from '@herald/contracts/webhook'
import { toSimulator, type Answer } from '@herald/testing/herald'
import { insertAndroids } from '@herald/testing/many-devices'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { addressOf } from '../chaos/platform.ts'
import { startPlatform } from '../platform.ts'
import {
  beginNextWave,
  clockIn,
  devicesOf,
  givenDevices,
  idsOf,
  ok,
  pushesOf,
  read,
  sendCampaign,
  setDue,
  untilSettled,
  textOf,
  untilStatus,
  type Json,
  type Registered,
} from './campaigns.ts'

// Waves, and the deletion of an app during its sends. Every test makes its own apps.

const schemas = ['gateway', 'audience', 'campaigns', 'tracker', 'webhooks'] as const
type Schema = (typeof schemas)[number]

const { certificate, privateKey } = inject('receiver')
const events: WebhookEvent[] = []
const receiver = createServer({ cert: certificate, key: privateKey }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    events.push(...(JSON.parse(Buffer.concat(chunks).toString()) as { events: WebhookEvent[] }).events)
    response.writeHead(204).end()
  })
})
// A small window of pushes, so that a send to thousands takes seconds and can be changed while it is under way.
const herald = await startPlatform({ ...inject('shared').env, DISPATCH_WINDOW: '200' })

beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve)))
afterEach(() => fetch(`${herald.simulator}/faults`, { method: 'DELETE', headers: toSimulator }))
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})

/**
 * Runs one SQL statement with the role of a service: to write quickly what would take long over HTTP, and to look for rows that should be deleted.
 */
async function query<Row extends pg.QueryResultRow>(schema: Schema, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: addressOf(herald, schema) })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

const codeOf = async (asked: Promise<Answer<Json>>): Promise<string> => {
  const { status, body } = await asked
  return `${status} ${String((body['error'] as Json)['code'])}`
}
const notify = async (tenant: Tenant, more: Json = { target: { all: true } }): Promise<string> =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', { content: textOf('Hello'), ...more }), 202).id
const draft = async (tenant: Tenant): Promise<string> =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name: 'Draft', content: textOf('Draft') }), 201).id

/** Writes many devices, each with an anonymous user, directly into the tables. Over HTTP thousands of devices would take most of a test's time. */
async function givenCrowd(tenant: Tenant, count: number): Promise<Set<string>> {
  const devices = await tenant.makeDevices('android', count)
  await query('audience', insertAndroids, [tenant.appId, devices.map(({ token }) => token)])
  return new Set(devices.map(({ id }) => id))
}

const accepted = async (tenant: Tenant): Promise<number> =>
  (await tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total
const untilMoreThan = (tenant: Tenant, count: number) =>
  until(async () => (await accepted(tenant)) > count, { withinMs: 30_000, what: `more than ${count} pushes` })

// spec: campaigns/user-timezone, campaigns/waves, campaigns/waves-once, campaigns/completed
test('a send at local times has a wave for each zone, reaches a moving user once, then completes', async () => {
  const tenant = await givenTenant(herald)
  const url = `https://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  ok(await tenant.admin('POST', '/webhooks', { url, eventTypes: ['campaign.completed'] }), 201)
  const early = await givenDevices(tenant, 'android', 20, () => ({ timezone: 'Asia/Tokyo' }))
  const late = await givenDevices(tenant, 'ios', 20, () => ({ timezone: 'America/Lima' }))
  const schedule = { type: 'user_timezone', localTime: clockIn('Asia/Tokyo', 5) }
  const id = await sendCampaign(tenant, { schedule }, 'scheduled')
  const { nextAt } = await read(tenant, id)
  expect(Date.parse(nextAt ?? '') - Date.now()).toBeLessThan(5 * 60_000 + 1)

  await setDue(herald, id, new Date())
  await untilStatus(tenant, id, 'sending')
  await beginNextWave(herald, id)
  const first = await until(
    async () => {
      const pushes = await pushesOf(tenant, id)
      return pushes.length === early.length && pushes
    },
    { withinMs: 30_000, what: 'the first wave' },
  )
  expect(devicesOf(first)).toEqual(idsOf(early))
  expect((await read(tenant, id)).status).toBe('sending')
  const move = (one: Registered | undefined, timezone: string) => tenant.call('PATCH', `/v1/users/${one?.userId}`, { timezone })
  ok(await move(early[0], 'America/Lima'), 200)
  ok(await move(late[0], 'Asia/Tokyo'), 200)

  await beginNextWave(herald, id)
  expect(await untilSettled(tenant, id)).toMatchObject({ queued: 40, sent: 40, failed: 0, skipped: 0 })
  expect(devicesOf(await pushesOf(tenant, id))).toEqual(idsOf([...early, ...late]))
  const completed = () => events.filter(({ type, appId }) => type === 'campaign.completed' && appId === tenant.appId)
  await until(() => completed().length > 0, { withinMs: 20_000, what: 'campaign.completed' })
  expect(completed()).toMatchObject([{ campaignId: id, data: { queued: 40, byPlatform: { ios: 20, android: 20, web: 0 } } }])
})

/**
 * Tables that keep rows about a deleted app on purpose: the audit, the marks that say that the app was erased, and `audience.fan_outs`, whose emptied
 * rows are needed by pointers that arrive late.
 */
const staying = new Set(['gateway.audit', 'campaigns.erased_apps', 'audience.erased_apps', 'tracker.erased_apps', 'audience.fan_outs'])

/** Lists the tables that have a row with any of these ids, without the tables of `staying`. */
async function tablesWith(ids: string[]): Promise<string[]> {
  const found: string[] = []
  for (const schema of schemas) {
    const tables = await query<{ name: string }>(
      schema,
      `select table_name as name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE'`,
      [schema],
    )
    expect(tables.length).toBeGreaterThan(1)
    const counts = tables.map(
      ({ name }) =>
        `select '${schema}.${name}' as name where exists (select from ${schema}."${name}" as row where to_jsonb(row)::text ~ $1)`,
    )
    found.push(...(await query<{ name: string }>(schema, counts.join(' union all '), [ids.join('|')])).map(({ name }) => name))
  }
  return found.filter((name) => !staying.has(name))
}

// spec: administration/delete-app
test('deleting an app during a send removes its data everywhere but audit, marks and emptied rows; others go on', async () => {
  const [tenant, other] = [await givenTenant(herald), await givenTenant(herald)]
  await givenCrowd(tenant, 2_000)
  const known = await givenDevices(tenant, 'ios', 3, (index) => ({ externalId: `user-${index}` }))
  const otherCount = 200
  await givenDevices(other, 'android', otherCount)
  ok(await tenant.call('POST', '/v1/segments', { name: 'Everyone', definition: {} }), 201)
  ok(await tenant.call('POST', '/v1/templates', { name: 'News', content: textOf('News') }), 201)
  const url = `https://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  ok(await tenant.admin('POST', '/webhooks', { url }), 201)
  const draftId = await draft(tenant)
  const earlier = await notify(tenant, { target: { externalIds: ['user-0'] } })
  await untilSettled(tenant, earlier)
  const [push] = await pushesOf(tenant, earlier)
  const recurring = { schedule: { type: 'recurring', every: 'day', localTime: '12:00', timezone: 'UTC' } }
  const active = await sendCampaign(tenant, recurring, 'active')
  const ids = [tenant.appId, draftId, earlier, active, ...known.flatMap(({ id, userId }) => [id, userId])]
  expect((await tablesWith(ids)).length).toBeGreaterThan(10)

  await tenant.simulator('PUT', '/faults', { service: 'fcm', latencyMs: 250 })
  const before = await accepted(tenant)
  const [sending, paused] = [await sendCampaign(tenant, {}, 'sending'), await sendCampaign(tenant, {}, 'sending')]
  const otherSending = await sendCampaign(other, {}, 'sending')
  await untilMoreThan(tenant, before + 300)
  ok(await tenant.admin('POST', `/campaigns/${paused}/pause`), 200)
  ok(await tenant.admin('DELETE', ''), 204)

  expect(await codeOf(tenant.admin('GET', ''))).toBe('404 not_found')
  await until(async () => (await codeOf(tenant.call('GET', `/v1/campaigns/${sending}/stats`))) === '401 unauthorized', {
    withinMs: 20_000,
    what: 'the key is refused',
  })
  await expect(tenant.register(known[0]!.device)).rejects.toThrow('got 401')
  expect(await untilSettled(other, otherSending)).toMatchObject({ queued: otherCount, sent: otherCount })
  const nothing = async () => {
    const left = await tablesWith([...ids, sending, paused])
    const full = await query('audience', 'select from fan_outs where app_id = $1 and num_nonnulls(send, target, due_at) > 0', [
      tenant.appId,
    ])
    if (left.length + full.length > 0) throw new Error(`${left.join(', ')}; fan-outs not emptied: ${full.length}`)
    return true
  }
  await until(nothing, { withinMs: 60_000, what: 'nothing left' })
  expect(await untilSettled(other, await notify(other))).toMatchObject({ queued: otherCount, sent: otherCount })
  // Pushes that were under way at the deletion have been answered by now. Their answers, and later reports of devices, make no new rows of the app.
  expect((await other.call('POST', `/v1/e/o/${push!.msgId}`)).status).toBe(204)
  expect(await nothing()).toBe(true)
})
