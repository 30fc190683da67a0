import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { Herald, webhooks, type UserRow } from '@herald/node'
import { childEnvironment } from '@herald/testing/child-environment'
import { http } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { onDatabase } from '../chaos/platform.ts'
import { givenDevices, textOf } from './campaigns.ts'
import { startFaultyProxy, type Faults } from './faulty-proxy.ts'

const platform = await sharedPlatform()
const tenant = await givenTenant(platform)

const open = (baseUrl = platform.baseUrl, key = tenant.secretKey) =>
  new Herald({ baseUrl, key, retries: 10, timeoutMs: 60_000, totalTimeoutMs: 240_000 })

/** Makes a client of the Node SDK with a faulty proxy between it and Herald. */
async function openThrough(faults: Faults) {
  const proxy = await startFaultyProxy(platform.baseUrl, faults)
  onTestFinished(proxy.stop)
  return { herald: open(proxy.url), proxy }
}

const campaignsOf = (appId: string): Promise<number> =>
  onDatabase(platform, async (client) => {
    const { rows } = await client.query<{ count: string }>('select count(*) from campaigns.campaigns where app_id = $1', [appId])
    return Number(rows[0]?.count)
  })

/** Runs work for the numbers from 0 to `count` - 1, `atOnce` at a time. */
async function each(count: number, atOnce: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const run = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, run))
}

// spec: limits/idempotency-key, limits/idempotency-replay, limits/idempotency-in-progress
test('when a proxy drops every third answer, 1,000 sends through the Node SDK make exactly 1,000 campaigns', async () => {
  const own = await givenTenant(platform)
  const proxy = await startFaultyProxy(platform.baseUrl, { drops: (n) => n % 3 === 0 })
  onTestFinished(proxy.stop)
  const herald = open(proxy.url, own.secretKey)
  const ids = new Set<string>()

  await each(1_000, 20, async (n) => {
    const { id } = await herald.notifications.send({ target: { externalIds: [`nobody-${n}`] }, content: textOf(`Order ${n}`) })
    ids.add(id)
  })

  expect(ids.size).toBe(1_000)
  expect(await campaignsOf(own.appId)).toBe(1_000)
  expect(proxy.dropped()).toBeGreaterThan(400)
}, 600_000)

// spec: campaigns/create, campaigns/send
test('through the Node SDK a campaign is sent once, although the answers to making and sending it are lost', async () => {
  const own = await givenTenant(platform)
  await givenDevices(own, 'android', 2)
  const proxy = await startFaultyProxy(platform.baseUrl, { drops: (n) => n === 1 || n === 3 })
  onTestFinished(proxy.stop)
  const herald = open(proxy.url, own.secretKey)

  const { id } = await herald.campaigns.create({ name: 'Spring', content: textOf('Spring') })
  expect(['sending', 'sent']).toContain((await herald.campaigns.send(id)).status)
  const { status, stats } = await herald.campaigns.settled(id)

  expect([status, stats.queued, stats.sent]).toEqual(['sent', 2, 2])
  expect(await campaignsOf(own.appId)).toBe(1)
  expect(proxy.dropped()).toBe(2)
}, 120_000)

test('the Node SDK writes all users of a stream except a wrong one, which it names, although answers are lost', async () => {
  const { herald, proxy } = await openThrough({ drops: (n) => n % 2 === 1 })
  const rows = async function* (): AsyncGenerator<UserRow> {
    for (let n = 0; n < 3_000; n += 1) yield { externalId: n === 1_234 ? 'null' : `customer-${n}`, tags: { n } }
  }

  const { failed, ...report } = await herald.users.upsertMany(rows(), { concurrency: 4 })

  expect(report).toMatchObject({ updated: 2_999, failedCount: 1 })
  expect(failed.map(({ index, error }) => [index, error.code])).toEqual([[1_234, 'invalid_body']])
  expect((await herald.users.get({ externalId: 'customer-2999' })).tags).toEqual({ n: 2_999 })
  expect(proxy.dropped()).toBeGreaterThan(2)
}, 240_000)

/**
 * Starts the example shop as a process. `url` is `none` when the process ended before it was ready. `printed` gives what the shop has printed so far.
 */
async function startShop(env: Record<string, string>): Promise<{ url: string; printed: () => string; exited: () => boolean }> {
  const server = resolve(import.meta.dirname, '../../examples/shop/server.ts')
  const child = spawn(process.execPath, [server], {
    env: { ...childEnvironment, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const exited = () => child.exitCode !== null
  const ready = () => /^shop ready (\S+)$/m.exec(printed)?.[1] ?? (exited() ? 'none' : undefined)
  return { url: await until(ready, { what: 'the shop is ready' }), printed: () => printed, exited }
}

test('the example shop notifies of an order, accepts only signed webhooks, and refuses wrong or missing keys', async () => {
  await givenDevices(tenant, 'android', 1, () => ({ externalId: 'shopper', language: 'de' }))
  const secret = 'whsec_shop'
  const { url } = await startShop({
    HERALD_URL: platform.baseUrl,
    HERALD_SECRET_KEY: tenant.secretKey,
    HERALD_PUBLIC_KEY: tenant.publicKey,
    HERALD_WEBHOOK_SECRET: secret,
    HERALD_IDENTITY_SECRET: 'identity',
  })

  const settings = await http<Record<string, unknown>>('GET', `${url}/settings`)
  expect(settings.body).toEqual({
    baseUrl: platform.baseUrl,
    appKey: tenant.publicKey,
    vapidPublicKey: tenant.vapidPublicKey,
    hasIdentity: true,
  })
  expect((await http<string>('GET', url)).body).toContain('<h1>Shop</h1>')
  const ordered = await http<{ id: string }>('POST', `${url}/orders`, { body: { customer: 'shopper', item: 'teapot' } })
  expect(ordered.status).toBe(201)
  const order = () => http<{ status: string; stats: { sent: number } }>('GET', `${url}/orders/${ordered.body.id}`)
  await until(async () => (await order()).body.status === 'sent', { what: 'the order was told' })
  expect((await order()).body.stats).toMatchObject({ sent: 1 })
  expect((await http('POST', `${url}/orders`, { body: { customer: '' } })).status).toBe(422)

  const body = JSON.stringify({ id: 'dlv_1', events: [{ id: 'evt_1', type: 'notification.sent' }] })
  const post = async (by: string) =>
    (await http('POST', `${url}/webhooks/herald`, { body, headers: { 'x-service-signature': await webhooks.sign(body, by) } })).status
  expect([await post(secret), await post(secret), await post('whsec_other')]).toEqual([204, 204, 400])
  expect((await http('GET', `${url}/events`)).body).toEqual({ events: [{ id: 'evt_1', type: 'notification.sent' }] })

  const lacking = await startShop({ HERALD_URL: platform.baseUrl, HERALD_SECRET_KEY: tenant.publicKey })
  expect(lacking.url).toBe('none')
  expect(lacking.printed()).toMatch(/HERALD_SECRET_KEY[^]*HERALD_PUBLIC_KEY/)
}, 120_000)
