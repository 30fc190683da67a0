import { sql } from 'kysely'
import { settleDay } from './settlements.ts'
import type { Db } from './tables.ts'

/**
 * How full Postgres fills the pages of each table, in percent. In the ledger 20 % stay free, so that an updated row stays on its page (HOT): 98 % of
 * the rows do, as measured.
 */
const partitioned = { ledger_batches: 80, ledger_attempts: 100, engagements: 100, conversions: 100, conversion_users: 100 } as const
type Partitioned = keyof typeof partitioned
const parents = ['ledger_batches', 'ledger_attempts', 'engagements', 'conversions', 'conversion_users'] as const satisfies Partitioned[]

/** Gives the days around today in UTC, by the database's clock, as `YYYY-MM-DD`. */
export async function getDaysAround(db: Db, { back, ahead }: { back: number; ahead: number }): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    select ((now() at time zone 'utc')::date + step)::date as day from generate_series(${-back}::int, ${ahead}::int) as step`.execute(db)
  return rows.map(({ day }) => day)
}

/**
 * Makes a day's missing partitions; false, and none, when it is past the retention. It needs a transaction of its own, before the one that writes. An
 * advisory lock keeps two processes from making the same partition.
 */
export async function insertDay(db: Db, day: string, retentionDays: number): Promise<boolean> {
  const { rows } = await sql<{ kept: boolean }>`
    select ${day}::date >= (now() at time zone 'utc')::date - ${retentionDays}::int as kept`.execute(db)
  if (!rows[0]?.kept) return false
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('tracker.partitions', 0))`.execute(trx)
    for (const parent of parents) {
      const partition = partitionName(parent, day)
      const { rows } = await sql<{ exists: boolean }>`select to_regclass(${partition}) is not null as exists`.execute(trx)
      if (rows[0]?.exists) continue
      // A table is made first and then attached, because `create table … partition of` would block every writer of the ledger.
      await sql`create table ${sql.id(partition)} (like ${sql.id(parent)} including defaults including indexes including storage)
        with (fillfactor = ${sql.lit(partitioned[parent])})`.execute(trx)
      // A report is unique in its day: the key of the parent would have to hold the day too (migrations/0200).
      if (parent === 'engagements') await sql`create unique index on ${sql.id(partition)} (campaign_id, subscription_id, kind)`.execute(trx)
      await sql`
        alter table ${sql.id(parent)} attach partition ${sql.id(partition)}
        for values from (${sql.lit(day)}) to (${sql.lit(nextDay(day))})`.execute(trx)
    }
  })
  return true
}

/**
 * Drops partitions of days more than `retentionDays` + 1 days ago: a report accepted just before midnight must find its partition. Gives how many,
 * and how many campaigns it settled. Gives up waiting for writers after 2 s.
 */
export async function deleteOldDays(db: Db, retentionDays: number): Promise<{ dropped: number; settled: number }> {
  const { rows } = await sql<{ partition: string; day: string }>`
    select child.relname as partition, to_date(right(child.relname, 8), 'YYYYMMDD') as day
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent in (${sql.join(parents.map((parent) => sql`${parent}::regclass`))})
      and right(child.relname, 8) < to_char((now() at time zone 'utc')::date - ${retentionDays + 1}::int, 'YYYYMMDD')
    order by child.relname`.execute(db)
  let settled = 0
  for (const { partition, day } of rows) {
    await db.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = '2s'`.execute(trx)
      // The ledger takes no more outcomes of these campaigns, so nothing else would end them.
      settled += await settleDay(trx, day)
      await sql`drop table if exists ${sql.id(partition)}`.execute(trx)
    })
  }
  return { dropped: rows.length, settled }
}

/** Gives the name of the partition of a day. A statement that names it keeps a plan for that partition alone, and locks no other. */
export const partitionName = (parent: Partitioned, day: string): string => `${parent}_${day.replaceAll('-', '')}`

function nextDay(day: string): string {
  const next = new Date(`${day}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString().slice(0, 10)
}
