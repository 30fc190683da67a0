import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, type RunningPostgres } from '@herald/embedded/postgres'
import { atEnd } from '@herald/testing/at-end'
import { testService } from '@herald/testing/service'
import { copyForStandby } from '@herald/testing/standby'
import { until } from '@herald/testing/until'
import { sql, type Kysely } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { openDatabase, type Database } from './postgres.ts'

type Tables = { notes: { no: number } }
let standby: RunningPostgres
let database: Database<Tables>
let onStandby: <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>
const service = testService('tracker', {})

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'herald-replica-'))
  const directories = { primary: join(folder, 'primary'), standby: join(folder, 'standby') }
  const primary = await startPostgres({ dataDir: directories.primary, durable: true, database: 'herald' })
  await copyForStandby(primary.url(), directories)
  standby = await startPostgres({ dataDir: directories.standby, durable: true })
  atEnd(async () => {
    await standby.stop()
    await primary.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const inHerald = (url: string) => Object.assign(new URL(url), { pathname: '/herald' }).href
  const readUrl = inHerald(standby.url())
  database = await openDatabase(service, { url: inHerald(primary.url()), poolSize: 2, readUrl })
  const { db } = await openDatabase<Tables>(testService('tracker', {}), { url: readUrl, poolSize: 2 })
  onStandby = (work) => work(db)
  await sql`create table notes (no integer)`.execute(database.db)
})

/** Where a read ran, and how many notes it found. */
const read = () =>
  database.reads(async (db) => {
    const { rows } = await sql<{ replica: boolean; notes: number }>`
      select pg_is_in_recovery() as replica, (select count(*) from notes) as notes`.execute(db)
    return rows[0]
  })
const write = () => sql`insert into notes values (1)`.execute(database.db)
const reads = async (answer: string) =>
  Number(new RegExp(`herald_replica_reads_total\\{answer="${answer}"\\} (\\d+)`).exec(await service.metrics.text())?.[1] ?? 0)

// spec: running/read-replica
test('a read finds what was committed before it: on the replica when it has that, else the primary', async () => {
  await until(async () => (await read())?.replica, { what: 'the replica follows' })
  for (let no = 1; no <= 50; no += 1) {
    await write()
    expect((await read())?.notes).toBe(no)
  }
  expect(await reads('replica')).toBeGreaterThan(40)

  await onStandby((db) => sql`select pg_wal_replay_pause()`.execute(db))
  await until(
    async () =>
      (await onStandby((db) => sql<{ state: string }>`select pg_get_wal_replay_pause_state() as state`.execute(db))).rows[0]?.state ===
      'paused',
  )
  await write()
  expect(await read()).toEqual({ replica: false, notes: 51 })
  expect(await reads('behind')).toBeGreaterThan(0)

  await onStandby((db) => sql`select pg_wal_replay_resume()`.execute(db))
  await until(async () => (await read())?.replica, { what: 'the replica is read again' })
  expect(await read()).toEqual({ replica: true, notes: 51 })
})

// spec: running/read-replica
test('a read that the replica ends is answered by the primary, and a mistake fails as there', async () => {
  await until(async () => (await read())?.replica)
  const failing = database.reads(async (db) => {
    const { rows } = await sql<{ replica: boolean }>`select pg_is_in_recovery() as replica`.execute(db)
    // What a replica says of a read whose rows were removed under it (Postgres, appendix A).
    if (rows[0]?.replica) throw Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' })
    return rows[0]
  })
  expect(await failing).toEqual({ replica: false })
  expect(await reads('failed')).toBe(1)
  await expect(database.reads((db) => sql`select no such column`.execute(db))).rejects.toThrow(/syntax|column/)
  expect((await read())?.replica).toBe(true)
})

// spec: running/read-replica
test('while the replica is frozen or gone the primary answers within a second, later the replica again', async () => {
  await until(async () => (await read())?.replica)
  const children = execFileSync('ps', ['--ppid', String(standby.pid), '-o', 'pid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number)
  for (const pid of [standby.pid, ...children]) process.kill(pid, 'SIGSTOP')
  try {
    const startedAt = performance.now()
    expect((await read())?.replica).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    // Nobody waits for it again for some seconds.
    expect((await read())?.replica).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  } finally {
    for (const pid of [standby.pid, ...children]) process.kill(pid, 'SIGCONT')
  }
  await until(async () => (await read())?.replica, { withinMs: 20_000, what: 'the replica is read again' })
})
