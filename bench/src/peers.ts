import { fork, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeVapidPair } from '@herald/auth/provider-token'
import { freePort } from '@herald/embedded/free-port'
import { startPostgres } from '@herald/embedded/postgres'
import type { Herald } from '@herald/testing/herald'
import type { Device, Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import pg from 'pg'
import { sharesOf, type Mix } from './crowd.ts'
import { readWal } from './database-use.ts'

const home = resolve(import.meta.dirname, '../peers')

export const peerNames = ['parse-server', 'node-pushnotifications'] as const
export type PeerName = (typeof peerNames)[number]

/** A peer: a push server that is compared with Herald, with the same number of devices at the same simulator. */
export type Peer = {
  name: PeerName
  /** The directory that the peer's processes name in their environment or command line, by which `measureProcesses` finds them. */
  directory: string
  /** Asks for one push to every device. Resolves with the peer's result when the peer says that it has finished. */
  send(): Promise<Said>
  /** Reads the bytes of WAL that the peer's Postgres has written; 0 when the peer has no Postgres. */
  wal(): Promise<number>
  stop(): Promise<void>
}

/** How many pushes were sent and how many failed, according to the peer. The peer may be wrong, so the number that the simulator accepted counts. */
export type Said = { sent: number; failed: number; reason?: string }

const content = { title: 'Hello', body: 'This is a push notification of a usual size for the test' }
const sendLimitMs = 300_000

/** Installs the packages of `bench/peers/package.json`: at the first run, and when a version there has changed. */
export function installPeers(say: (line: string) => void): void {
  const { dependencies } = readPackage(home) as { dependencies: Record<string, string> }
  const isThere = Object.entries(dependencies).every(([name, version]) => readPackage(join(home, 'node_modules', name)).version === version)
  if (isThere) return
  say(`installing ${Object.keys(dependencies).join(', ')} in bench/peers (200 MB, once)`)
  const { status } = spawnSync('npm', ['ci'], { cwd: home, stdio: ['ignore', 'ignore', 'inherit'], timeout: 600_000 })
  if (status !== 0) throw new Error(`npm ci in ${home} ended with ${status}`)
}

function readPackage(directory: string): { version?: string } {
  const file = join(directory, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }) : {}
}

/** Makes the accounts and devices of the peers at Herald's own simulator. Both peers send to the same devices. */
async function makeCustomers(herald: Herald, tenant: Tenant, mix: Mix, count: number) {
  const identity = randomBytes(4).toString('hex')
  const apns = { teamId: `T${identity}1`.toUpperCase(), keyId: `K${identity}1`.toUpperCase(), bundleId: `org.example.peer${identity}` }
  const projectId = `peer-${identity}`
  const { privateKey } = await tenant.simulator<{ privateKey: string }>('POST', '/accounts', { kind: 'apns', ...apns })
  const serviceAccount = await tenant.simulator<Record<string, string>>('POST', '/accounts', { kind: 'fcm', projectId })
  const vapid = makeVapidPair()
  const kinds = {
    ios: { bundleId: apns.bundleId, environment: 'production' },
    android: { projectId },
    web: { applicationServerKey: vapid.publicKey, keyPool: 64 },
  }
  const devices: Device[] = []
  for (const { platform, share } of sharesOf(mix, count)) {
    if (share === 0) continue
    const made = await tenant.simulator<{ devices: Device[] }>('POST', '/devices', { platform, count: share, ...kinds[platform] })
    devices.push(...made.devices)
  }
  const { simulator: ports } = JSON.parse(readFileSync(join(herald.dataDir, 'ports.json'), 'utf8')) as { simulator: Record<string, number> }
  return { apns: { ...apns, privateKey, port: ports['apns'] }, serviceAccount, vapid, devices, ports }
}

/** Starts both peers, each with `count` devices of the mix. */
export async function startPeers(herald: Herald, tenant: Tenant, { mix, count }: { mix: Mix; count: number }): Promise<Peer[]> {
  const customers = await makeCustomers(herald, tenant, mix, count)
  const started: Peer[] = []
  try {
    started.push(await startParse(herald, customers), await startPushNotifications(herald, customers))
    return started
  } catch (error) {
    for (const peer of started) await peer.stop()
    throw error
  }
}

/** Starts parse-server alone, with `count` devices of one platform, for pushes to one device each. */
export async function startParseAlone(herald: Herald, tenant: Tenant, { platform, count }: { platform: 'ios' | 'android'; count: number }) {
  return startParse(herald, await makeCustomers(herald, tenant, platform, count))
}
export type ParseAlone = Awaited<ReturnType<typeof startParseAlone>>

type Customers = Awaited<ReturnType<typeof makeCustomers>>

/**
 * Starts a peer's process, gives it the accounts and waits until it is ready. The peer's directory has the CA to trust, and is named in the process's
 * environment.
 */
async function startProcess(
  name: PeerName,
  directory: string,
  herald: Herald,
  { apns, serviceAccount, vapid, ports }: Customers,
  more: object,
) {
  const authorities = join(directory, 'authorities.pem')
  copyFileSync(join(herald.dataDir, 'certificates/ca.pem'), authorities)
  const child = fork(join(home, `${name}.mjs`), [], {
    cwd: directory,
    execArgv: ['--require', join(home, 'google-at-simulator.cjs')],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: authorities,
      PEER_FCM_PORT: String(ports['fcm']),
      PEER_OAUTH_PORT: String(ports['oauth']),
    },
    // The libraries write a line for each batch. The last lines are shown only when the process ends without being stopped.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let written = ''
  child.stderr?.on('data', (chunk: Buffer) => (written = (written + chunk.toString()).slice(-2_000)))
  child.once('exit', (code) => code !== null && process.stderr.write(`${name} ended with ${code}: ${written}\n`))
  await answerOf(child, name, 60_000, { apns, serviceAccount, vapid, authorities, ...content, ...more })
  return child
}

function answerOf(child: ChildProcess, name: string, withinMs: number, message: object): Promise<unknown> {
  return new Promise((done, fail) => {
    const settle = (end: () => void) => {
      clearTimeout(timer)
      child.off('exit', onExit)
      child.off('message', onMessage)
      end()
    }
    const onExit = (code: number | null) => settle(() => fail(new Error(`${name} ended with ${code}`)))
    const onMessage = (answer: unknown) => settle(() => done(answer))
    const timer = setTimeout(() => settle(() => fail(new Error(`${name} did not answer within ${withinMs} ms`))), withinMs)
    child.once('exit', onExit)
    child.once('message', onMessage)
    child.send(message)
  })
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGKILL')
  await ended
}

/** `one`: how a push to one device is asked for, and the ids of the devices. */
type Parse = Peer & {
  one: { baseUrl: string; path: string; headers: Record<string, string>; ids: string[] }
  /** Waits until parse-server says of each of its last `pushes` pushes that it has ended. */
  untilAllEnded: (pushes: number) => Promise<unknown>
}

async function startParse(herald: Herald, customers: Customers): Promise<Parse> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-bench-parse-'))
  // This Postgres is as durable as Herald's and has the same settings.
  const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), durable: true, database: 'parse' })
  const database = new pg.Client({ connectionString: postgres.url() })
  database.on('error', () => undefined)
  await database.connect()
  const [port, masterKey] = [await freePort(), randomBytes(16).toString('hex')]
  const headers = { 'x-parse-application-id': 'bench', 'x-parse-master-key': masterKey, 'content-type': 'application/json' }
  const ask = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}/parse${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(sendLimitMs),
    })
    if (!answer.ok) throw new Error(`parse-server: ${path} was answered ${answer.status} ${(await answer.text()).slice(0, 300)}`)
    await answer.arrayBuffer()
  }
  const start = () => startProcess('parse-server', directory, herald, customers, { databaseUrl: postgres.url(), port, masterKey })
  let child = await start()
  await installDevices(database, ask, customers)
  const lastPush = async () => {
    const { rows } = await database.query<{ id: string; status: string; sent: number; failed: number }>(
      `select "objectId" as id, status, coalesce("numSent", 0)::int as sent, coalesce("numFailed", 0)::int as failed
       from "_PushStatus" order by "createdAt" desc limit 1`,
    )
    return rows[0]
  }
  return {
    name: 'parse-server',
    directory,
    one: {
      ...{ baseUrl: `http://127.0.0.1:${port}`, path: '/parse/push', headers },
      ids: customers.devices.map((_, index) => idOfRow(index + 1)),
    },
    async untilAllEnded(pushes) {
      const open = async () => {
        const { rows } = await database.query<{ open: number }>(
          `select count(*)::int as open from (select status from "_PushStatus" order by "createdAt" desc limit $1) as last where status in ('running', 'pending')`,
          [pushes],
        )
        return rows[0]?.open
      }
      await until(async () => (await open()) === 0, { withinMs: 60_000, what: 'the end of all pushes of parse-server' })
    },
    async send() {
      // In some rounds of 100,000 devices the process ends with an error ("write EINVAL"). Such a round does not count, and the next one begins with
      // a new process.
      if (child.exitCode !== null) child = await start()
      const former = await lastPush().catch(() => undefined)
      const { title, body } = content
      await ask('/push', { where: {}, data: { title, alert: body } })
      const push = await until(
        async () => {
          if (child.exitCode !== null) return 'the process ended'
          const push = await lastPush()
          return push && push.id !== former?.id && push.status !== 'running' && push.status !== 'pending' && push
        },
        { withinMs: sendLimitMs, what: `the push of parse-server` },
      )
      if (push === 'the process ended') throw new Error(push)
      return { sent: push.sent, failed: push.failed }
    },
    wal: () => readWal(database),
    async stop() {
      await endProcess(child)
      await database.end()
      await postgres.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const idOfRow = (row: number): string => String(row).padStart(10, '0')

/** Writes the devices as rows of parse-server's table. parse-server makes the table when the first device registers. */
async function installDevices(database: pg.Client, ask: (path: string, body: object) => Promise<void>, { apns, devices }: Customers) {
  const first = { deviceType: 'ios', installationId: 'first', deviceToken: '0'.repeat(64), appIdentifier: apns.bundleId }
  await ask('/installations', { ...first, localeIdentifier: 'en', badge: 0 })
  await database.query('delete from "_Installation"')
  const tokens = devices.map(({ platform, token, endpoint, keys }) => (platform === 'web' ? JSON.stringify({ endpoint, keys }) : token))
  await database.query(
    `insert into "_Installation"
       ("objectId", "createdAt", "updatedAt", "deviceType", "installationId", "deviceToken", "appIdentifier", "localeIdentifier", badge, "_rperm", "_wperm")
     select lpad(n::text, 10, '0'), now(), now(), platform, 'installation-' || n, token, $3, 'en', 0, '{*}', '{*}'
     from unnest($1::text[], $2::text[]) with ordinality as given(platform, token, n)`,
    [devices.map(({ platform }) => platform), tokens, apns.bundleId],
  )
  await database.query('vacuum (analyze) "_Installation"')
}

async function startPushNotifications(herald: Herald, customers: Customers): Promise<Peer> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-bench-npn-'))
  const name = 'node-pushnotifications'
  const child = await startProcess(name, directory, herald, customers, { devices: customers.devices })
  return {
    name,
    directory,
    send: async () => (await answerOf(child, name, sendLimitMs, { send: true })) as Said,
    wal: () => Promise.resolve(0),
    async stop() {
      await endProcess(child)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
