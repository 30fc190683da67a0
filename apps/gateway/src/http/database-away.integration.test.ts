import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startPostgres } from '@herald/embedded/postgres'
import { newId } from '@herald/contracts/ids'
import { migrate } from '@herald/service/migrate'
import { provision } from '@herald/service/provision'
import { freshNats } from '@herald/testing/nats'
import { promised, startClock } from '@herald/testing/promised'
import { afterAll, expect, test } from 'vitest'
import { routes } from './routes.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const directory = mkdtempSync(join(tmpdir(), 'herald-gateway-away-'))
const dataDir = join(directory, 'postgres')
let postgres = await startPostgres({ dataDir, durable: false })
afterAll(async () => {
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
})
const ownerUrl = postgres.url('postgres')
const urls = await provision({ ownerUrl, apps: ['gateway'], passwords: {} })
await migrate({ ownerUrl, app: 'gateway', directory: resolve(import.meta.dirname, '../../migrations') })
const nats = await freshNats()
await startPeers(nats)
const gateway = await startGateway({ database: urls['gateway'] ?? '', nats })
const app = await gateway.givenApp()

const askEvery = () =>
  Promise.all(
    routes.map(async ({ method, path, withoutDatabase }) => {
      // The requests have no key and a broken body, because the gateway checks whether the database is there before anything else.
      const told = await gateway.ask({ method: method.toUpperCase(), path: path.replaceAll(/:\w+/g, () => newId()), raw: '{' })
      return { withoutDatabase: withoutDatabase ?? false, path, told }
    }),
  )
const statsStatus = async () =>
  (await gateway.ask({ path: `/v1/campaigns/${newId()}/stats`, headers: { authorization: `Bearer ${app.secretKey}` } })).status
const healthStatus = async () => (await gateway.ask({ path: '/health' })).status

const expectAway = async () => {
  for (const { withoutDatabase, path, told } of await askEvery()) {
    if (withoutDatabase) continue
    expect([path, told.status, told.body.error?.code]).toEqual([path, 503, 'database_unavailable'])
  }
  expect(await gateway.ask({ path: '/health' })).toMatchObject({ status: 503, body: { status: 'unavailable', db: 'unreachable' } })
}

/** Finds all processes of Postgres. If only one of its backends was frozen, the others would still answer. */
const processesOf = (pid: number): number[] => [
  pid,
  ...spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
    .map(Number),
]

// spec: limits/database-away, limits/health
test('within two seconds of a Postgres freeze every data endpoint is 503, and as soon statistics are back', async () => {
  expect(await statsStatus()).toBe(404)
  const frozen = processesOf(postgres.pid)
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  try {
    const inWork = Promise.all([
      gateway.ask({ path: `/v1/campaigns/${newId()}/stats`, headers: { authorization: `Bearer sk_live_${app.appId}_${'A'.repeat(43)}` } }),
      gateway.admin('POST', '/apps', { name: 'Frozen' }),
    ])
    const elapsed = startClock()
    expect((await inWork).map(({ status, body }) => [status, body.error?.code])).toEqual([
      [503, 'database_unavailable'],
      [503, 'database_unavailable'],
    ])
    expect(elapsed()).toBeLessThan(2_000)
    await expectAway()
  } finally {
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
  }
  await promised(2_000, 'the return of the gateway', async () => (await statsStatus()) === 404 && (await healthStatus()) === 200)
})

// spec: limits/database-away
test('within two seconds of Postgres stopping every data endpoint is 503; two after, an app can be made', async () => {
  const { port } = postgres
  await postgres.stop()
  await promised(2_000, '503', async () => (await healthStatus()) === 503)
  await expectAway()

  postgres = await startPostgres({ dataDir, durable: false, port })
  await promised(2_000, 'the return of the gateway', async () => (await statsStatus()) === 404 && (await healthStatus()) === 200)
  expect((await gateway.admin('POST', '/apps', { name: 'After' })).status).toBe(201)
})
