import { pageSize } from '@herald/contracts/batch'
import { platforms, type Lane, type Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { Db } from '../../store/tables.ts'
import { notDone } from '../../store/turns.ts'

/** At most this many batches and fan-outs are read, so that a scrape costs no more when a million wait for a provider that is away. */
const mostBatches = 100_000
const mostSends = 10_000
/** An app that no day has counted yet is counted up to this many devices. */
const mostCounted = 1_000_000

const queuedOn = (platform: Platform) => `queued_${platform}`

/**
 * Estimates the pushes that dispatchers could send now, for each platform and lane: those of free batches, and of large sends the devices not scanned
 * yet (by the app's last counted day) times the share meant so far.
 */
export async function countBacklog(db: Db): Promise<{ platform: Platform; lane: Lane; pushes: number }[]> {
  const { rows } = await sql<{ platform: Platform; lane: Lane; pushes: number }>`
    with waiting as materialized (
      select platform, lane, cardinality(subscription_ids) as pushes from (select * from batches where ${notDone} limit ${mostBatches}) b
      where held_since is null and decided is null and (not_before is null or not_before <= now())
    ), large as materialized (
      select app_id, (page - 1) * ${pageSize} as scanned, ${sql.join(platforms.map((one) => sql.ref(queuedOn(one))))},
        case when target ->> 'kind' not in ('all', 'segment') then jsonb_array_length(target -> (target ->> 'kind')) end as listed
      from (select * from fan_outs where due_at is not null limit ${mostSends}) f
      where settled_at is null and lane = 'bulk' and page > 1 and flow = 'running' and state in ('running', 'waiting')
    ), sized as (
      select large.*, coalesce(
        listed,
        (select sum(total) from device_days d
          where d.app_id = large.app_id and day = (select max(day) from device_days last where last.app_id = large.app_id)),
        (select count(*) from (select from subscriptions s where s.app_id = large.app_id limit ${mostCounted}) as counted)
      ) as devices from large
    )
    select p.platform, l.lane,
      (coalesce((select sum(pushes) from waiting w where w.platform = p.platform and w.lane = l.lane), 0)
        + case when l.lane = 'bulk' then coalesce((
          select sum(greatest(devices - scanned, 0)::float8 / scanned
            * case p.platform ${sql.join(
              platforms.map((one) => sql`when ${sql.lit(one)} then ${sql.ref(queuedOn(one))}`),
              sql` `,
            )} end)
          from sized), 0) else 0 end)::float8 as pushes
    from unnest(${[...platforms]}::text[]) as p(platform) cross join (values ('prompt'), ('bulk')) as l(lane)`.execute(db)
  return rows.map((row) => ({ ...row, pushes: Math.round(row.pushes) }))
}
