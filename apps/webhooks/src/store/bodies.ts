import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** What writes an app's events and erasing exclude each other: many may write at once, an erasure is alone. Until the end of the transaction. */
export const lockFreezing = (db: Db, appIds: string[]): Promise<unknown> =>
  sql`select pg_advisory_xact_lock_shared(hashtext(app_id)) from unnest(${appIds.toSorted()}::text[]) as a(app_id)`.execute(db)

/** The other side of `lockFreezing`. */
export const lockErasing = (db: Db, appId: string): Promise<unknown> => sql`select pg_advisory_xact_lock(hashtext(${appId}))`.execute(db)

/** Marks a user as erased, while nothing of the app is being frozen. */
export async function insertErasedUser(db: Db, { appId, userId }: { appId: string; userId: string }): Promise<void> {
  await lockErasing(db, appId)
  await db
    .insertInto('erased_users')
    .values({ app_id: appId, user_id: userId })
    .onConflict((conflict) => conflict.columns(['app_id', 'user_id']).doUpdateSet({ at: sql<Date>`now()` }))
    .execute()
}

/** The marks of an app's erased users. */
export const deleteErasedUsers = (db: Db, appId: string): Promise<unknown> =>
  db.deleteFrom('erased_users').where('app_id', '=', appId).execute()

/** Which of these users were erased lately: an external id looked up before is not to be written. */
export async function findErasedUsers(db: Db, userIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ user_id: string }>`select user_id from erased_users where user_id = any(${userIds}::text[])`.execute(db)
  return new Set(rows.map(({ user_id }) => user_id))
}

/**
 * Takes away the bodies that name a user. Those that were still to be delivered end as `erased` and are answered, so that their events can
 * go out again without what named the user.
 */
export async function eraseBodies(
  db: Db,
  { appId, userId }: { appId: string; userId: string },
): Promise<{ endpointId: string; body: Buffer }[]> {
  const { rows } = await sql<{ endpointId: string; body: Buffer; wasPending: boolean }>`
    with bodies as (
      delete from delivery_bodies where user_ids @> array[${userId}]::text[] and app_id = ${appId} returning delivery_id, body
    ), before as (
      select d.id, d.endpoint_id, d.state from deliveries d join bodies on bodies.delivery_id = d.id for no key update of d
    ), ended as (
      update deliveries d set has_body = false,
        state = case when d.state = 'pending' then 'erased' else d.state end,
        due_at = null, lease_until = null, ended_at = coalesce(d.ended_at, now())
      from before where d.id = before.id returning d.id
    )
    select before.endpoint_id as "endpointId", bodies.body, before.state = 'pending' as "wasPending"
    from before join bodies on bodies.delivery_id = before.id join ended on ended.id = before.id`.execute(db)
  return rows.filter(({ wasPending }) => wasPending)
}

/** Takes away bodies past their time: so long after success, or after another end or, when nobody took them, after they were made. */
export async function deleteOldBodies(
  db: Db,
  { deliveredHours, undeliveredDays, limit }: { deliveredHours: number; undeliveredDays: number; limit: number },
): Promise<number> {
  const { rows } = await sql`
    with old as (
      select id from deliveries
      where has_body and coalesce(ended_at, created_at) < now() - least(make_interval(hours => ${deliveredHours}), make_interval(days => ${undeliveredDays}))
        and coalesce(ended_at, created_at) < now() - case when state = 'delivered' then make_interval(hours => ${deliveredHours}) else make_interval(days => ${undeliveredDays}) end
      order by coalesce(ended_at, created_at) limit ${limit} for no key update skip locked
    ), gone as (
      delete from delivery_bodies b using old where b.delivery_id = old.id
    )
    update deliveries d set has_body = false, state = case when d.state = 'pending' then 'failed' else d.state end,
      due_at = null, lease_until = null, ended_at = coalesce(d.ended_at, now())
    from old where d.id = old.id returning 1`.execute(db)
  return rows.length
}

/**
 * Deletes a portion of what endpoints hold: the log with its bodies, then what waits for them. Answers how many rows went. The caller keeps
 * everybody else from writing more.
 */
export async function deleteOfEndpoints(db: Db, endpointIds: string[], limit: number): Promise<number> {
  const these = sql`any(${endpointIds}::text[])`
  const deliveries = await sql`
    delete from deliveries where id in (select id from deliveries where endpoint_id = ${these} limit ${limit})`.execute(db)
  const waiting = await sql`
    delete from waiting_events where (endpoint_id, event_id) in (
      select endpoint_id, event_id from waiting_events where endpoint_id = ${these} limit ${limit}
    )`.execute(db)
  return Number(deliveries.numAffectedRows ?? 0) + Number(waiting.numAffectedRows ?? 0)
}

/** The log past retention, and what is left of deleted endpoints, in portions. */
export async function deleteOldDeliveries(db: Db, { days, limit }: { days: number; limit: number }): Promise<number> {
  const old = await sql`
    delete from deliveries where id in (
      select id from deliveries where created_at < now() - make_interval(days => ${days}) and due_at is null order by created_at limit ${limit}
    )`.execute(db)
  const ofDeleted = await sql`
    delete from deliveries where id in (
      select d.id from endpoints e join deliveries d on d.endpoint_id = e.id where e.deleted_at is not null limit ${limit}
    )`.execute(db)
  const waiting = await sql`
    delete from waiting_events where (endpoint_id, event_id) in (
      select w.endpoint_id, w.event_id from endpoints e join waiting_events w on w.endpoint_id = e.id where e.deleted_at is not null limit ${limit}
    )`.execute(db)
  const portions = [old, ofDeleted, waiting].map(({ numAffectedRows }) => Number(numAffectedRows ?? 0))
  if (portions.every((portion) => portion < limit)) {
    // An attempt may still be on its way: a minute is longer than any lease.
    await sql`delete from endpoints where deleted_at < now() - interval '1 minute'`.execute(db)
  }
  return portions.reduce((sum, portion) => sum + portion, 0)
}
