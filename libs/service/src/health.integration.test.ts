import { startPostgres } from '@herald/embedded/postgres'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from './postgres.ts'

const directory = mkdtempSync(join(tmpdir(), 'herald-watch-'))
const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), durable: false })
afterAll(async () => {
  process.kill(postgres.pid, 'SIGCONT')
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
})

// spec: limits/database-away
test('work on a database that freezes ends with database_unavailable within two seconds, and new work runs when the database is back', async () => {
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
test('while no work waits for the database, a question whether it answers is answered no within two seconds after it froze', async () => {
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
