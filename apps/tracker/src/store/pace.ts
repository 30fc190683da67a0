import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** At most this many of an app's newest campaigns are looked at, ~2 µs each: an app may make a million a month, nearly all of one push. */
const mostExamined = 20_000
/** The time of a smaller send is mostly the time to its first push, which says little about the pace. */
const leastPushes = 1_000
const lastSends = 5

/** Adds up the pushes of an app's last five settled large sends of 30 days, and the seconds that they took from first page to last outcome. */
export async function sumLargeSends(db: Db, appId: string): Promise<{ pushes: number; seconds: number }> {
  const { rows } = await sql<{ pushes: number; seconds: number }>`
    with newest as materialized (
      select queued_ios + queued_android + queued_web as queued, created_at, settled_at from counters
      where app_id = ${appId} order by campaign_id desc limit ${sql.lit(mostExamined)}
    ), large as (
      select queued, settled_at - created_at as took from newest
      where queued >= ${sql.lit(leastPushes)} and settled_at is not null and created_at > now() - interval '30 days'
      order by settled_at desc limit ${sql.lit(lastSends)}
    )
    select coalesce(sum(queued), 0)::float8 as pushes, coalesce(sum(extract(epoch from took)), 0)::float8 as seconds from large`.execute(db)
  return rows[0] ?? { pushes: 0, seconds: 0 }
}
