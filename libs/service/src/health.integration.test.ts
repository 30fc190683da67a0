import { startPostgres } from '@herald/embedded/postgres'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import pg from 'pg'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { isDatabaseAway } from './health.ts'
import { openDatabase } from './postgres.ts'

const directory = mkdtempSync(join(tmpdir(), 'herald-watch-'))
const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), durable: false })
afterAll(async () => {
  process.kill(postgres.pid, 'SIGCONT')
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
})

// spec: limits/database-away
test('work on a database that freezes ends with database_unavailable within two seconds, and runs again afterwards', async () => {
  const { db, watch } = await openDatabase(testService('tracker', {}), { url: postgres.url(), poolSize: 2 })
  const ask = () => watch.guard(() => sql`select 1`.execute(db))
  await ask()

  process.kill(postgres.pid, 'SIGSTOP')
  const { pids } = await stopBackends()
  // A timer of this process, which a busy machine delays as much as the limits of the work.
  const late = wait(2_000, 'no answer', { ref: false })
  await expect(Promise.race([ask(), late])).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(watch.up).toBe(false)

  for (const pid of [...pids, postgres.pid]) process.kill(pid, 'SIGCONT')
  await watch.whenUp()
  await until(() => ask().then(() => true))
})

// spec: limits/health
test('without waiting work, whether the database answers is answered no within two seconds of its freeze', async () => {
  const { watch } = await openDatabase(testService('tracker', {}), { url: postgres.url(), poolSize: 2 })
  process.kill(postgres.pid, 'SIGSTOP')
  const { pids } = await stopBackends()
  try {
    await until(() => !watch.up, { withinMs: 2_000 })
    expect(watch.up).toBe(false)
  } finally {
    for (const pid of [...pids, postgres.pid]) process.kill(pid, 'SIGCONT')
  }
  await watch.whenUp()
})

test('a watch that nobody asks notices when its connection is lost', async () => {
  const service = testService('tracker', {})
  const { db, watch } = await openDatabase(service, { url: postgres.url(), poolSize: 2 })
  let returns = 0
  watch.onReturn(() => (returns += 1))
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'herald-watch'`.execute(db)
  await until(() => returns > 0, { withinMs: 2_000 })
  expect(watch.up).toBe(true)
})

test('a connection that is lost between two queries of a transaction ends the transaction and not the process', async () => {
  const { db } = await openDatabase(testService('tracker', {}), { url: postgres.url(), poolSize: 2 })
  const lost = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db)
    // The server's last message arrives while no query runs. Without a listener it would be an uncaught exception.
    await until(async () => {
      const left = await sql`select from pg_stat_activity where pid = ${rows[0]?.pid}`.execute(db)
      return left.rows.length === 0
    })
    await new Promise((resolve) => setImmediate(resolve))
    await sql`select 1`.execute(trx)
  })
  await expect(lost).rejects.toThrow(/terminat|connection|queryable/i)
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

// spec: limits/database-read-only
test('a database that has become a standby counts as away, and is used again as soon as it is promoted', async () => {
  const dataDir = join(directory, 'demoted')
  const primary = await startPostgres({ dataDir, durable: false })
  const { db, watch } = await openDatabase(testService('tracker', {}), { url: primary.url(), poolSize: 2 })
  const write = () => watch.guard(() => sql`create table if not exists made (id int)`.execute(db))
  await write()

  await primary.stop()
  writeFileSync(join(dataDir, 'standby.signal'), '')
  const account = statSync(join(dataDir, 'PG_VERSION'))
  chownSync(join(dataDir, 'standby.signal'), account.uid, account.gid)
  const standby = await startPostgres({ dataDir, port: primary.port, durable: false })
  try {
    await until(async () => (await sql`select 1`.execute(db).catch(() => undefined)) !== undefined, { what: 'the standby answers' })
    await until(() => !watch.up, { what: 'the watch knows of the standby' })
    await expect(write()).rejects.toMatchObject({ code: 'database_unavailable' })

    await sql`select pg_promote()`.execute(db)
    await watch.whenUp()
    await write()
  } finally {
    await standby.stop()
  }
})

// spec: limits/database-read-only
test('once the database was found read-only, no connection from before is used again, idle or busy', async () => {
  const { db, watch } = await openDatabase(testService('tracker', {}), { url: postgres.url(), poolSize: 3 })
  const pid = async (at: typeof db) => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(at)).rows[0]?.pid
  const { promise: release, resolve: end } = Promise.withResolvers<void>()
  const { promise: busyPid, resolve: know } = Promise.withResolvers<number | undefined>()
  const busy = db.transaction().execute(async (trx) => {
    know(await pid(trx))
    await release
  })
  const before = new Set([await busyPid, ...(await Promise.all([pid(db), pid(db)]))])
  expect(before.size).toBe(3)

  const admin = new pg.Client({ connectionString: postgres.url() })
  await admin.connect()
  try {
    await admin.query('alter system set default_transaction_read_only = on')
    await admin.query('select pg_reload_conf()')
    // The error of a write, which callers are told as 503 `database_unavailable`.
    const refused = await until(() =>
      sql`create table never (id int)`.execute(db).then(
        () => undefined,
        (error: unknown) => error,
      ),
    )
    expect(isDatabaseAway(refused)).toBe(true)
    await until(() => !watch.up, { what: 'the watch knows' })
  } finally {
    await admin.query('set default_transaction_read_only = off')
    await admin.query('alter system reset default_transaction_read_only')
    await admin.query('select pg_reload_conf()')
    await admin.end()
  }
  await watch.whenUp()
  end()
  await busy
  const after = await Promise.all([pid(db), pid(db), pid(db)])
  expect(after.filter((one) => before.has(one))).toEqual([])
})

/** Freezes all child processes of Postgres too, because on a frozen machine not only the main process stands still. */
async function stopBackends(): Promise<{ pids: number[] }> {
  const { execFileSync } = await import('node:child_process')
  const pids = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postgres.pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return { pids }
}
