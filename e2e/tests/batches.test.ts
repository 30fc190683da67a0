import { newId } from '@herald/contracts/ids'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { sharedProcesses } from '../platform.ts'
import { onDatabase } from '../chaos/platform.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { givenDevices, pushesOf, untilSettled, textOf, type Json, type Registered } from './campaigns.ts'

// Batches of notifications and of users through the complete platform.

const herald = await sharedProcesses()
let tenant: Tenant
let devices: Registered[]

beforeAll(async () => {
  tenant = await givenTenant(herald)
  devices = await givenDevices(tenant, 'ios', 100, (index) => ({ externalId: `customer-${index}`, tags: { place: index } }))
})

type Result = { index: number; status: number; id?: string; replayed?: boolean; error?: Json & { details?: { path: string }[] } }
const many = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index))
const toCustomer = (index: number, text = 'Hello'): Json => ({ target: { externalIds: [`customer-${index}`] }, content: textOf(text) })

async function send(notifications: Json[], headers: Record<string, string> = {}): Promise<Result[]> {
  const { status, body } = await tenant.call<{ results: Result[] }>('POST', '/v1/notifications/batch', { notifications }, headers)
  if (status !== 200) throw new Error(`a batch was answered ${status}: ${JSON.stringify(body)}`)
  return body.results
}

/** Repeats a batch until each item is accepted, as a backend does when it got no answer or was told that some items are in progress. */
const sendAll = (notifications: Json[], headers: Record<string, string>): Promise<Result[]> =>
  until(
    async () => {
      const results = await send(notifications, headers)
      const left = results.filter(({ status }) => status !== 202)
      if (left.length > 0) throw new Error(JSON.stringify(left.slice(0, 3)))
      return results
    },
    { withinMs: 60_000, what: 'a whole batch' },
  )

/** Waits until these sends are settled. Gives, for each send, the devices that got its push. */
async function heard(results: Result[]): Promise<string[][]> {
  const found: string[][] = []
  for (const { id = '' } of results) {
    expect(await untilSettled(tenant, id)).toMatchObject({ queued: 1, sent: 1 })
    found.push((await pushesOf(tenant, id)).map(({ deviceId }) => deviceId))
  }
  return found
}

test('of a batch of 100 notifications 7 are wrong: the other 93 are sent, and each reaches its device once', async () => {
  const wrong = new Set([0, 13, 14, 50, 77, 98, 99])
  const items = many(100, (index) => (wrong.has(index) ? { target: { externalIds: [] }, content: textOf('No') } : toCustomer(index)))

  const results = await send(items)

  const right = results.filter(({ status }) => status === 202)
  expect(right).toHaveLength(93)
  for (const { index, status, error } of results.filter((result) => !right.includes(result)))
    expect([wrong.has(index), status, error?.details?.[0]?.path]).toEqual([true, 422, `notifications.${index}.target.externalIds`])
  expect(await heard(right)).toEqual(right.map(({ index }) => [devices[index]?.device.id]))
}, 120_000)

test('a batch that a client repeats because its gateway was killed sends each notification once', async () => {
  const made = await tenant.call<{ id: string }>('POST', '/v1/segments', {
    name: 'The half that waits',
    definition: { field: 'tags.place', op: 'eq', value: 0 },
  })
  const segmentId = made.body.id
  const items = many(100, (index) =>
    index % 2 === 0 ? toCustomer(index, 'Midway') : { target: { segmentId }, content: textOf(`Segment ${index}`) },
  )
  const headers = { 'idempotency-key': newId() }
  const countSends = async (client: { query: (text: string, values: unknown[]) => Promise<{ rows: { count: string }[] }> }) => {
    const text = 'select count(*) as count from campaigns.idempotency_keys where app_id = $1 and starts_with(key, $2)'
    return Number((await client.query(text, [tenant.appId, `${headers['idempotency-key']}:`])).rows[0]?.count)
  }

  // The sends to a segment wait for this lock, so the gateway can be killed when only the other sends are accepted.
  await onDatabase(herald, async (client) => {
    await client.query('begin; lock table audience.segments in access exclusive mode')
    const unheard = send(items, headers).then(
      () => 'answered',
      () => 'no answer',
    )
    await until(async () => (await countSends(client)) === 50, { withinMs: 30_000, what: 'the half of the batch' })
    const pid = readyPid(herald.dataDir, 'gateway-1') ?? 0
    signalAll([pid], 'SIGKILL')
    expect(await unheard).toBe('no answer')
    await client.query('rollback')
  })
  const results = await sendAll(items, headers)

  expect(new Set(results.map(({ id }) => id)).size).toBe(100)
  expect(results.filter(({ index, replayed }) => index % 2 === 0 && replayed)).toHaveLength(50)
  expect(await onDatabase(herald, countSends)).toBe(100)
  expect(await heard(results)).toEqual(results.map(({ index }) => [devices[index % 2 === 0 ? index : 0]?.device.id]))
  expect((await sendAll(items, headers)).map(({ id }) => id)).toEqual(results.map(({ id }) => id))
}, 180_000)

test('a batch of 500 users changes existing ones and makes the others; the next send uses the values', async () => {
  const users = many(500, (index) => ({ externalId: `customer-${index}`, tags: { name: `Name ${index}` } }))

  const { status, body } = await tenant.call<{ results: (Result & { created?: boolean })[] }>('POST', '/v1/users/batch', { users })

  expect(status).toBe(200)
  expect(body.results.map(({ status: each, created }) => [each, created])).toEqual(many(500, (index) => [200, index >= 100]))
  expect(body.results[7]?.id).toBe(devices[7]?.userId)
  const [sent] = await send([toCustomer(7, 'Hello {{ tags.name }}')])
  await untilSettled(tenant, sent?.id ?? '')
  expect(await pushesOf(tenant, sent?.id ?? '')).toMatchObject([{ title: 'Hello Name 7', userId: devices[7]?.userId }])
}, 60_000)
