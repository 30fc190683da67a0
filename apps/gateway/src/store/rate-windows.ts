import { sql, type Kysely } from 'kysely'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>
export type Portion = { key: string; size: number }

/**
 * Counts portions of limits in the present minute, and gives for each key how much of its limit was used before, by all gateways. Each key may be
 * given once.
 */
export async function takePortions(db: Db, portions: Portion[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; used: number }>`
    insert into rate_windows as w (key, minute, used)
      select key, extract(epoch from now())::bigint / 60, size
      from unnest(${portions.map(({ key }) => key)}::text[], ${portions.map(({ size }) => size)}::int[]) as asked(key, size) order by key
    on conflict (key, minute) do update set used = least(w.used, 1000000000) + excluded.used
    returning key, used`.execute(db)
  const sizes = new Map(portions.map(({ key, size }) => [key, size]))
  return new Map(rows.map(({ key, used }) => [key, used - (sizes.get(key) ?? 0)]))
}

/** Notes that a gateway lives, forgets those that were not seen for a minute, and old windows. Gives how many live, and the database's clock. */
export async function noteGateway(db: Db, id: string): Promise<{ gateways: number; nowMs: number }> {
  const { rows } = await sql<{ gateways: number; nowMs: number }>`
    with noted as (insert into gateways (id, seen_at) values (${id}, now()) on conflict (id) do update set seen_at = now()),
      gone as (delete from gateways where seen_at < now() - interval '1 minute' and id <> ${id}),
      old as (delete from rate_windows where minute < extract(epoch from now())::bigint / 60 - 1)
    select 1 + count(*) as gateways, (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"
    from gateways where seen_at >= now() - interval '1 minute' and id <> ${id}`.execute(db)
  if (!rows[0]) throw new Error('a count gives one row')
  return rows[0]
}
