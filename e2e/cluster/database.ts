import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@herald/embedded/free-port'
import { startPostgres, type RunningPostgres } from '@herald/embedded/postgres'
import { copyForStandby, markAsStandby } from '@herald/testing/standby'
import { until } from '@herald/testing/until'
import pg from 'pg'
import { familyOf, signalAll } from '../chaos/processes.ts'
import { startHaproxy } from './haproxy.ts'

/** One of the two servers. Each keeps its directory and its port when it is stopped and started. */
export type Server = {
  name: string
  start: () => Promise<void>
  /** Ends all its processes at once, as a lost machine does. */
  kill: () => void
  /** Ends it as an operator does: what was committed has reached the standby. */
  stop: () => Promise<void>
  freeze: () => void
  thaw: () => void
  promote: () => Promise<void>
  /** Lets the next start be that of a standby that follows nobody. */
  demoteAtNextStart: () => void
}

export type Pair = {
  /** The owner's address through HAProxy: it leads to the primary. */
  url: string
  primary: Server
  standby: Server
  /** From now on HAProxy leads to this server, whatever it is; undefined: to the primary. */
  lead: (to: Server | undefined) => void
  /** Waits until the standby has everything that the primary has now. */
  untilCaughtUp: () => Promise<void>
  stop: () => Promise<void>
}

/**
 * Starts a primary and a standby that streams from it, both with fsync, and HAProxy before them. `synchronous`: a commit waits until the standby has it
 * on its disk (`synchronous_standby_names = '*'`).
 */
export async function startPair({ synchronous }: { synchronous: boolean }): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'herald-pair-'))
  const directories = { primary: join(folder, 'primary'), standby: join(folder, 'standby') }
  const ports = { primary: await freePort(), standby: await freePort() }
  const running: Partial<Record<keyof typeof directories, RunningPostgres>> = {}
  const start = async (name: keyof typeof directories) => {
    running[name] = await startPostgres({ dataDir: directories[name], port: ports[name], durable: true, database: 'herald' })
  }
  await start('primary')
  const owner = new URL(running.primary?.url() ?? '')
  const on = async <T>(name: keyof typeof directories | 'haproxy', sql: string): Promise<T | undefined> => {
    const url = new URL(owner)
    if (name !== 'haproxy') url.port = String(ports[name])
    const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 900, query_timeout: 20_000 })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return ((await client.query(sql)).rows as T[])[0]
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  await copyForStandby(owner.href, directories)
  await start('standby')
  // Only now, because no commit of the primary ends before a standby has it.
  if (synchronous) {
    await on('primary', `alter system set synchronous_standby_names = '*'`)
    await on('primary', 'select pg_reload_conf()')
  }
  const wanted = synchronous ? 'sync' : 'async'
  await until(
    async () => (await on<{ sync_state: string }>('primary', 'select sync_state from pg_stat_replication'))?.sync_state === wanted,
    {
      withinMs: 20_000,
      what: `the standby streams (${wanted})`,
    },
  )

  const server = (name: keyof typeof directories): Server => {
    const pids = () => familyOf(running[name]?.pid ?? 0)
    return {
      name,
      start: () => start(name),
      kill: () => signalAll(pids(), 'SIGKILL'),
      stop: async () => running[name]?.stop(),
      freeze: () => signalAll(pids(), 'SIGSTOP'),
      thaw: () => signalAll(pids(), 'SIGCONT'),
      promote: async () => void (await on(name, 'select pg_promote()')),
      demoteAtNextStart: () => markAsStandby(directories[name]),
    }
  }
  let leadTo: Server | undefined
  const [primary, standby] = [server('primary'), server('standby')]
  const behind = (one: Server, name: keyof typeof directories) => ({
    port: ports[name],
    isPrimary: async () =>
      leadTo === undefined
        ? (await on<{ standby: boolean }>(name, 'select pg_is_in_recovery() as standby'))?.standby === false
        : leadTo === one,
  })
  const haproxy = await startHaproxy([behind(primary, 'primary'), behind(standby, 'standby')])
  owner.port = String(haproxy.port)
  // Until its first checks HAProxy leads to both in turn, so four answers of the primary in a row say that it knows.
  let inARow = 0
  await until(
    async () => {
      const isPrimary = (await on<{ standby: boolean }>('haproxy', 'select pg_is_in_recovery() as standby'))?.standby === false
      inARow = isPrimary ? inARow + 1 : 0
      return inARow === 4
    },
    { withinMs: 20_000, what: 'HAProxy leads to the primary' },
  )
  return {
    url: owner.href,
    primary,
    standby,
    lead: (to) => (leadTo = to),
    async untilCaughtUp() {
      const written = (await on<{ lsn: string }>('primary', 'select pg_current_wal_lsn()::text as lsn'))?.lsn
      const isThere = `select pg_last_wal_replay_lsn() >= '${written}'::pg_lsn as there`
      await until(async () => (await on<{ there: boolean }>('standby', isThere))?.there === true, {
        withinMs: 30_000,
        what: 'the standby has everything',
      })
    },
    async stop() {
      await haproxy.stop()
      for (const one of [primary, standby]) one.thaw()
      // The standby first: a primary that stops waits for it.
      for (const one of [standby, primary]) await one.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
