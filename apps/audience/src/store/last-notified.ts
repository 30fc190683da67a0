import { sql } from 'kysely'
import type { Db } from './tables.ts'

const purgedAtOnce = 5_000

/**
 * Notes that the devices of these batches were sent to now, without those in `notTo` and deleted ones. Each look-up is by a key, whatever the
 * planner's statistics are.
 */
export async function noteNotified(db: Db, batches: { batchId: string; notTo: string[] }[]): Promise<void> {
  if (batches.length === 0) return
  await sql`
    insert into last_notified (subscription_id, at)
    select distinct told.id, now()
    from unnest(${batches.map(({ batchId }) => batchId)}::text[]) as batch(id)
      cross join lateral (select unnest(subscription_ids) as id from batches where batches.id = batch.id offset 0) told
      cross join lateral (select from subscriptions s where s.id = told.id offset 0) known
    where not exists (
      select from unnest(
        ${batches.flatMap(({ batchId, notTo }) => notTo.map(() => batchId))}::text[], ${batches.flatMap(({ notTo }) => notTo)}::text[]
      ) as other(batch_id, id) where other.batch_id = batch.id and other.id = told.id
    )
    order by 1
    on conflict (subscription_id) do update set at = excluded.at`.execute(db)
}

/**
 * Stores that an app asks for `lastNotifiedAt`, and answers whether its notes are complete. They are once its ledger was read to the end, while it
 * asks every six days: each finish writes notes until seven days after.
 */
export async function nameApp(db: Db, appId: string): Promise<{ isRead: boolean }> {
  const { rows } = await sql<{ isRead: boolean }>`
    insert into notified_apps as known (app_id, named_at) values (${appId}, now())
    on conflict (app_id) do update set named_at = now(),
      round = known.round + case when known.named_at > now() - interval '6 days' then 0 else 1 end,
      read_to = case when known.named_at > now() - interval '6 days' then known.read_to end,
      is_read = known.is_read and known.named_at > now() - interval '6 days'
    returning is_read as "isRead"`.execute(db)
  // For an erased app no row is written. Its devices are deleted, so its notes count as complete.
  return rows[0] ?? { isRead: true }
}

/** Whether the notes of an app are complete now (see `nameApp`). Calling this does not count as the app asking for `lastNotifiedAt`. */
export async function isNoted(db: Db, appId: string): Promise<boolean> {
  const { rows } = await sql`
    select from notified_apps where app_id = ${appId} and is_read and named_at > now() - interval '6 days'`.execute(db)
  return rows.length > 0
}

export type ReadTo = { round: number; readTo: string | null }

/**
 * Finds how far an app's ledger has been read, newest push first; undefined when the ledger was read to its end, or the app has never asked for
 * `lastNotifiedAt`.
 */
export async function findReadTo(db: Db, appId: string): Promise<ReadTo | undefined> {
  const { rows } = await sql<ReadTo>`
    select round, read_to as "readTo" from notified_apps where app_id = ${appId} and not is_read`.execute(db)
  return rows[0]
}

/**
 * Stores when a portion's devices were sent to, unless a newer time is noted, and how far the ledger was read (`next`: null at its end). Needs a
 * transaction. Another process's further progress stays.
 */
export async function keepRead(
  trx: Db,
  { appId, round, readTo }: ReadTo & { appId: string },
  { notified, next }: { notified: { at: string; subscriptionIds: string[] }[]; next: string | null },
): Promise<void> {
  if (notified.length > 0) {
    await sql`
      insert into last_notified (subscription_id, at)
      select told.id, max(told.at)
      from unnest(
          ${notified.flatMap(({ subscriptionIds }) => subscriptionIds)}::text[],
          ${notified.flatMap(({ at, subscriptionIds }) => subscriptionIds.map(() => at))}::timestamptz[]
        ) as told(id, at)
        cross join lateral (select from subscriptions s where s.id = told.id and s.app_id = ${appId} offset 0) known
        left join lateral (select n.at from last_notified n where n.subscription_id = told.id offset 0) noted on true
      where noted.at is null or noted.at < told.at
      group by told.id order by told.id
      on conflict (subscription_id) do update set at = greatest(last_notified.at, excluded.at)`.execute(trx)
  }
  await sql`
    update notified_apps set read_to = ${next}, is_read = ${next === null}
    where app_id = ${appId} and round = ${round} and read_to is not distinct from ${readTo} and not is_read`.execute(trx)
}

/**
 * Deletes the notes that were written for deleted devices after their deletion, for at most 5,000 devices, each deleted at least 30 s ago. Answers
 * whether there may be more.
 */
export async function purgeGoneNotes(db: Db): Promise<boolean> {
  const { rows } = await sql`
    with due as (
      select subscription_id from gone_devices where due_at <= now() order by due_at limit ${sql.lit(purgedAtOnce)} for update skip locked
    ), notes as (
      delete from last_notified n using due where n.subscription_id = due.subscription_id
    )
    delete from gone_devices g using due where g.subscription_id = due.subscription_id
    returning g.subscription_id`.execute(db)
  return rows.length === purgedAtOnce
}
