import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { listOpenCircuits } from '@herald/contracts/calls/audience'
import { readReconciliation } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { startNatsServer } from '@herald/embedded/nats-server'
import { startPostgres } from '@herald/embedded/postgres'
import { migrate } from '@herald/service/migrate'
import { provision } from '@herald/service/provision'
import { until } from '@herald/testing/until'
import { afterAll, afterEach, expect, test } from 'vitest'
import { adminToken, startGateway, type GatewayUnderTest } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'

const directory = mkdtempSync(join(tmpdir(), 'herald-gateway-system-'))
const [dataDir, storeDir] = [join(directory, 'postgres'), join(directory, 'nats')]
let postgres = await startPostgres({ dataDir, durable: false })
let nats = await startNatsServer({ storeDir })
afterAll(async () => {
  await Promise.all([postgres.stop(), nats.stop()])
  rmSync(directory, { recursive: true, force: true })
})
const ownerUrl = postgres.url('postgres')
const urls = await provision({ ownerUrl, apps: ['gateway'], passwords: {} })
await migrate({ ownerUrl, app: 'gateway', directory: resolve(import.meta.dirname, '../../../migrations') })
const addresses = { database: urls['gateway'] ?? '', nats: nats.url }
// This gateway makes the streams that the fake services wait for.
const gateway = await startGateway(addresses)
const peers = await startPeers(nats.url)
afterEach(() => peers.answers.clear())

const systemOf = async (asked: GatewayUnderTest = gateway) => {
  const { status, body } = await asked.admin('GET', '/system')
  expect(status).toBe(200)
  return body
}

// spec: administration/system
test('the system’s answer has the version, database, queue, how far the ledger is off, and open circuits', async () => {
  const circuit = {
    appId: newId(),
    platform: 'ios',
    environment: 'production',
    code: 'credentials_invalid',
    since: '2026-01-31T08:00:00.000Z',
    probeAt: '2026-01-31T08:00:30.000Z',
  }
  peers.answers.set(listOpenCircuits.subject, () => ({ circuits: [circuit], count: 17 }))
  peers.answers.set(readReconciliation.subject, () => ({ difference: 3, roundEndedAt: '2026-01-31T08:00:00.000Z' }))

  expect(await systemOf()).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    baseUrl: `http://127.0.0.1:${gateway.port}`,
    database: 'ready',
    standby: 'none',
    queue: 'ready',
    ledgerDifference: 3,
    openCircuits: { count: 17, items: [circuit] },
    trustedProxies: false,
    simulator: false,
  })
})

// spec: administration/system
test('the system’s answer calls a ledger right only when checked, and has null for what cannot be answered', async () => {
  peers.answers.set(readReconciliation.subject, () => ({ difference: 0, roundEndedAt: null }))
  expect(await systemOf()).toMatchObject({ ledgerDifference: null, openCircuits: { count: 0, items: [] } })

  for (const { subject } of [readReconciliation, listOpenCircuits])
    peers.answers.set(subject, () => {
      throw queueUnavailable()
    })
  expect(await systemOf()).toMatchObject({ database: 'ready', queue: 'ready', ledgerDifference: null, openCircuits: null })
})

// spec: administration/system
test('the system’s answer has the operator’s base URL, and says whether proxies are named and providers simulated', async () => {
  const settings = {
    HERALD_BASE_URL: 'https://push.shop.example/',
    SIMULATOR_CONTROL_URL: 'http://127.0.0.1:2202',
    TRUSTED_PROXIES: '10.0.0.1',
  }
  const other = await startGateway(addresses, settings)
  expect(await systemOf(other)).toMatchObject({ baseUrl: 'https://push.shop.example', trustedProxies: true, simulator: true })
})

// spec: administration/session-away
test('an operator stays signed in while the database is away, and the system’s answer says so', async () => {
  const signedIn = await gateway.ask({ method: 'POST', path: '/v1/admin/session', body: { token: adminToken, name: 'Dana' } })
  const cookie = String(signedIn.headers['set-cookie']?.[0]?.split(';')[0])
  const asked = (path: string) => gateway.ask({ path: `/v1/admin${path}`, headers: { cookie } })
  expect((await asked('/system')).body).toMatchObject({ database: 'ready' })

  const { port } = postgres
  await postgres.stop()
  await until(async () => (await asked('/system')).body['database'] === 'unreachable', { what: 'a database that is away' })
  expect(await asked('/session')).toMatchObject({ status: 200, body: { name: 'Dana' } })
  expect(await asked('/apps')).toMatchObject({ status: 503, body: { error: { code: 'database_unavailable' } } })
  const stranger = await gateway.ask({ path: '/v1/admin/system', headers: { cookie: `__Host-herald=${'A'.repeat(43)}` } })
  expect(stranger).toMatchObject({ status: 503, body: { error: { code: 'database_unavailable' } } })

  postgres = await startPostgres({ dataDir, durable: false, port })
  await until(async () => (await asked('/apps')).status === 200, { what: 'the database' })
})

// spec: administration/system, administration/token
test('the system’s answer comes even without database or queue, and says so; without a credential it is refused', async () => {
  const { port } = postgres
  await postgres.stop()
  await until(async () => (await systemOf())['database'] === 'unreachable', { what: 'a database that is away' })
  postgres = await startPostgres({ dataDir, durable: false, port })
  await until(async () => (await systemOf())['database'] === 'ready', { what: 'the database' })

  await nats.stop()
  await until(async () => (await systemOf())['queue'] === 'unreachable', { what: 'a queue that is away' })
  expect(await systemOf()).toMatchObject({ database: 'ready', ledgerDifference: null, openCircuits: null })
  nats = await startNatsServer({ storeDir, port: nats.port })
  await until(async () => (await systemOf())['queue'] === 'ready', { what: 'the queue' })

  expect((await gateway.ask({ path: '/v1/admin/system' })).status).toBe(401)
}, 60_000)
