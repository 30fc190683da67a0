import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** The largest number that an icon shows. */
const mostBadge = sql.lit(99_999)

/**
 * Raises the badges of an app's devices, and gives the new numbers by device, without devices that are gone. Locks the devices in the order of their
 * ids, so that none is deleted before the commit.
 */
export async function raiseBadges(trx: Db, appId: string, subscriptionIds: string[], by: number): Promise<ReadonlyMap<string, number>> {
  if (subscriptionIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; badge: number }>`
    insert into badges as b (app_id, subscription_id, badge)
    select s.app_id, s.id, ${by}::int from subscriptions s
    where s.id = any(${subscriptionIds}::text[]) and s.app_id || '' = ${appId} order by s.id for key share of s
    on conflict (app_id, subscription_id) do update set badge = least(b.badge + excluded.badge, ${mostBadge})
    returning subscription_id as id, badge`.execute(trx)
  return new Map(rows.map(({ id, badge }) => [id, badge]))
}

/** Writes the badges of the pushes of batches that this transaction has made, by place. */
export const writeBadges = (trx: Db, batches: { id: string; badges: number[] }[]) =>
  sql`
    update batches b set badges = array(select jsonb_array_elements_text(given.badges)::int)
    from unnest(${batches.map(({ id }) => id)}::text[], ${batches.map(({ badges }) => JSON.stringify(badges))}::jsonb[]) as given(id, badges)
    where b.id = any(${batches.map(({ id }) => id)}::text[]) and b.id = given.id`.execute(trx)

/** Finds the badges of the pushes of these batches, by place. A batch without badges is not in the answer. */
export async function findBadges(db: Db, batchIds: string[]): Promise<ReadonlyMap<string, number[]>> {
  const { rows } = await sql<{ id: string; badges: number[] }>`
    select id, badges from batches where id = any(${batchIds}::text[]) and badges is not null`.execute(db)
  return new Map(rows.map(({ id, badges }) => [id, badges]))
}

/** Sets the badge of a device that the caller has locked. */
export const setBadge = (trx: Db, { appId, subscriptionId }: { appId: string; subscriptionId: string }, badge: number) =>
  sql`
    insert into badges (app_id, subscription_id, badge) values (${appId}, ${subscriptionId}, ${badge})
    on conflict (app_id, subscription_id) do update set badge = excluded.badge`.execute(trx)
