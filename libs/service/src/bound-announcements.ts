import { sql, type Kysely } from 'kysely'
import type { DatabaseWatch } from './health.ts'
import type { Service } from './run.ts'
import { startSweep } from './sweep.ts'

/** While a service stores more bytes of announcements than this, the oldest are dropped. The NATS stream EVENTS has the same bound. */
const mostStoredBytes = 1_000_000_000
/**
 * Announcements older than this are dropped. Webhooks remembers for three days (72 hours) which announcements it has stored. An announcement that
 * came again after that time would be taken for a new one.
 */
const keptHours = 48
const everyMs = 30_000
const portion = 1_000

/**
 * Bounds the announcements that a service stores until webhooks confirms them. The oldest are dropped when older than two days or when all take more
 * than 1 GB. A counter and an error line say so.
 */
export function boundAnnouncements<Tables>(service: Service, watch: DatabaseWatch, db: Kysely<Tables>): void {
  const dropped = service.metrics.counter(
    'herald_announcements_dropped_total',
    'Announcements to webhooks, of up to 1,000 events each, that were dropped because webhooks was away for too long.',
  )
  let nextAt = 0
  startSweep(service, watch, 'bound-announcements', async () => {
    if (performance.now() < nextAt) return { took: 0 }
    const took = await dropOldAnnouncements(db, { mostBytes: mostStoredBytes, hours: keptHours, limit: portion })
    if (took > 0) {
      dropped.inc(took)
      service.log.error(
        { dropped: took },
        'announcements were dropped, because webhooks did not confirm them for two days or more than 1 GB wait; is webhooks running?',
      )
    }
    if (took < portion) nextAt = performance.now() + everyMs
    return { took: took < portion ? 0 : took }
  })
}

/**
 * Drops at most `limit` announcements: those older than `hours`, and the oldest while all take more than `mostBytes`. Gives how many. The sizes of
 * rows are read only when the table's files are larger than `mostBytes`.
 */
export async function dropOldAnnouncements<Tables>(
  db: Kysely<Tables>,
  { mostBytes, hours, limit }: { mostBytes: number; hours: number; limit: number },
): Promise<number> {
  // An id begins with the second in which it was made.
  const { rows } = await sql<{ dropped: number }>`
    with gone as (
      delete from announcements where id in (
        select id from announcements
        where id < lpad(to_hex(extract(epoch from now() - make_interval(hours => ${hours}::int))::bigint), 8, '0') order by id limit ${limit}
        for update skip locked
      ) returning 1
    ) select count(*)::int as dropped from gone`.execute(db)
  const tooOld = rows[0]?.dropped ?? 0
  if (tooOld === limit || !(await mayHoldMoreThan(db, mostBytes))) return tooOld
  const { rows: large } = await sql<{ dropped: number }>`
    with gone as (
      delete from announcements where id in (
        select id from (select id, sum(pg_column_size(body)) over (order by id desc) as bytes from announcements) newer
        where bytes > ${mostBytes}::bigint order by id limit ${limit - tooOld}
      ) returning 1
    ) select count(*)::int as dropped from gone`.execute(db)
  return tooOld + (large[0]?.dropped ?? 0)
}

async function mayHoldMoreThan<Tables>(db: Kysely<Tables>, bytes: number): Promise<boolean> {
  const { rows } = await sql<{ isLarge: boolean }>`select pg_table_size('announcements') > ${bytes}::bigint as "isLarge"`.execute(db)
  return rows[0]?.isLarge === true
}
