// `npm run test:pooler`: Herald behind PgBouncer in transaction mode, with the configuration of deploy/pgbouncer. Takes the PgBouncer of the machine if it
// is 1.21 or later, else that of Debian sid.
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { appsWithDatabase } from '@herald/contracts/call'
import { freePort } from '@herald/embedded/free-port'
import { startPostgres } from '@herald/embedded/postgres'
import { removeDataDir } from '@herald/testing/herald'
import pg from 'pg'
import { givenCrowd } from '../chaos/crowd.ts'
import { onPlatform } from '../chaos/platform.ts'
import { play, type Scene } from '../chaos/scenario.ts'
import { checkSends, send, untilAccepted, untilAllSettled } from '../chaos/sends.ts'
import { startPgBouncer } from './pgbouncer.ts'

const devicesOfAll = 6_000
const clients = 20
const sendsOfEach = 20

const { good } = await play({ promise: '', run }, { say: (line) => console.log(line) })
console.log(good ? '\npooler: all good' : '\npooler: BAD')
process.exitCode = good ? 0 : 1

async function run(scene: Scene): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'herald-pooler-'))
  // So few connections that Herald could not open its pools without PgBouncer.
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    durable: true,
    database: 'herald',
    settings: { max_connections: '60' },
  })
  const roles = Object.fromEntries(appsWithDatabase.map((app) => [`herald_${app}`, randomBytes(18).toString('base64url')]))
  const port = await freePort()
  const env = {
    LOG_LEVEL: 'warn',
    DATABASE_URL: postgres.url(),
    DATABASE_POOLER: 'pgbouncer',
    ...Object.fromEntries(
      appsWithDatabase.map((app) => [
        `DATABASE_URL_${app.toUpperCase()}`,
        `postgres://herald_${app}:${roles[`herald_${app}`]}@127.0.0.1:${port}/herald`,
      ]),
    ),
  }
  try {
    await refusesOtherSettings(scene, env, { postgresPort: postgres.port, port, roles })
    await sendsThroughIt(scene, env, { postgresPort: postgres.port, port, roles })
  } finally {
    await postgres.stop()
    removeDataDir(folder)
  }
}

type Place = { postgresPort: number; port: number; roles: Record<string, string> }

/** A pooler that sets no time limits would let statements run for ever, and nobody would see it. */
async function refusesOtherSettings({ check, note }: Scene, env: Record<string, string>, place: Place): Promise<void> {
  const pgbouncer = await startPgBouncer(place, (ini) => ini.replaceAll(/ connect_query='[^']*'/g, ''))
  try {
    const said = await onPlatform(env, () => Promise.resolve('it started')).catch((error: unknown) => String(error))
    note({ withoutSettings: /DATABASE_POOLER is pgbouncer[^"\n]*/.exec(said)?.[0].slice(0, 160) ?? said.slice(-300) })
    check(said.includes('take connect_query from deploy/pgbouncer/pgbouncer.ini'), 'Herald started behind a pooler that sets no limits')
  } finally {
    await pgbouncer.stop()
  }
}

/** Small sends of 20 clients beside a large one, and PgBouncer killed and started again in the middle of the next. */
async function sendsThroughIt(scene: Scene, env: Record<string, string>, place: Place): Promise<void> {
  const { note, check } = scene
  const pgbouncer = await startPgBouncer(place)
  try {
    await onPlatform(env, async (platform) => {
      const { tenant } = platform
      const devices = await givenCrowd(platform, devicesOfAll)
      const refused: number[] = []
      const large = await send(tenant, 'large', devices)
      const small = await Promise.all(
        Array.from({ length: clients }, async (_, client) => {
          const sent = []
          for (let no = 0; no < sendsOfEach; no += 1) {
            const device = devices[(client * sendsOfEach + no) % devices.length]!
            const target = { target: { subscriptionIds: [device.subscriptionId] } }
            sent.push(await send(tenant, `small ${client} ${no}`, [device], target, (status) => refused.push(status)))
          }
          return sent
        }),
      )
      const campaigns = [large, ...small.flat()]
      const seconds = await untilAllSettled(tenant, campaigns)
      note({ seconds, refused, connections: await connectionsOf(env['DATABASE_URL'] ?? '') })
      check(refused.length === 0, `${refused.length} of ${clients * sendsOfEach} sends were not answered 202`)
      await checkSends(scene, tenant, campaigns, 0)

      await tenant.simulator('POST', '/reset')
      await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000 })
      const second = await send(tenant, 'second', devices)
      await untilAccepted(tenant, devices.length / 5)
      await pgbouncer.kill()
      await sleep(3_000)
      await pgbouncer.start()
      const back = performance.now()
      await send(tenant, 'after', devices.slice(0, 1), { target: { subscriptionIds: [devices[0]?.subscriptionId] } }).then((one) =>
        campaigns.push(one),
      )
      note({ secondsToNextSend: Math.round(performance.now() - back) / 1_000 })
      const after = [second, campaigns.at(-1)!]
      await untilAllSettled(tenant, after)
      await checkSends(scene, tenant, after, 0, 'killed.')
    })
  } finally {
    await pgbouncer.stop()
  }
}

/** How many sessions Postgres has for the services. */
async function connectionsOf(ownerUrl: string): Promise<number> {
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  const { rows } = await owner.query<{ count: number }>(`select count(*)::int from pg_stat_activity where usename like 'herald\\_%'`)
  await owner.end()
  return rows[0]?.count ?? 0
}
