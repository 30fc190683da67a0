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
  await subtractBodyBytes(
    db,
    rows.map(({ endpointId, body }) => ({ endpointId, bytes: body.length })),
  )
  return rows.filter(({ wasPending }) => wasPending)
}

/** Deliveries whose bodies have had their time, by an index that holds them in order. */
export const oldBodies = {
  /** So long after success. */
  delivered: ({ keptHours, limit }: { keptHours: number; limit: number }) => sql<{ id: string }>`
    select id from deliveries where has_body and state = 'delivered' and ended_at < now() - make_interval(hours => ${keptHours}::int)
    order by ended_at limit ${limit} for no key update skip locked`,
  /** So long after another end or, when nobody took them, after they were made. */
  other: ({ keptHours, limit }: { keptHours: number; limit: number }) => sql<{ id: string }>`
    select id from deliveries
    where has_body and state <> 'delivered' and coalesce(ended_at, created_at) < now() - make_interval(hours => ${keptHours}::int)
    order by coalesce(ended_at, created_at) limit ${limit} for no key update skip locked`,
}

/** Ends these deliveries, which the caller has locked, and takes their bodies away. Answers how many bytes went, by endpoint. */
async function takeBodies(db: Db, ids: string[]): Promise<{ endpointId: string; bytes: number }[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ endpointId: string; bytes: number }>`
    with gone as (
      delete from delivery_bodies where delivery_id = any(${ids}::text[]) returning delivery_id as id, octet_length(body) as bytes
    ), ended as (
      update deliveries set has_body = false, state = case when state = 'pending' then 'failed' else state end,
        due_at = null, lease_until = null, ended_at = coalesce(ended_at, now())
      where id = any(${ids}::text[]) returning id, endpoint_id
    )
    select endpoint_id as "endpointId", sum(bytes)::int as bytes from ended join gone using (id) group by endpoint_id`.execute(db)
  await subtractBodyBytes(db, rows)
  return rows
}

/** Takes away bodies past their time, at most `limit`. Inside a transaction. Answers how many deliveries have none any more. */
export async function deleteOldBodies(db: Db, kind: 'delivered' | 'other', about: { keptHours: number; limit: number }): Promise<number> {
  const { rows } = await oldBodies[kind](about).execute(db)
  await takeBodies(
    db,
    rows.map(({ id }) => id),
  )
  return rows.length
}

/** Locks the queues in the order of their ids, as everybody does who changes several, and counts out bodies that have gone. */
export async function subtractBodyBytes(db: Db, gone: { endpointId: string; bytes: number }[]): Promise<void> {
  if (gone.length === 0) return
  const ids = gone.map(({ endpointId }) => endpointId)
  await sql`select 1 from queues where endpoint_id = any(${ids}::text[]) order by endpoint_id for no key update`.execute(db)
  await sql`
    update queues q set body_bytes = greatest(0, q.body_bytes - g.bytes)
    from (
      select endpoint_id, sum(bytes) as bytes from unnest(${ids}::text[], ${gone.map(({ bytes }) => bytes)}::bigint[]) as g(endpoint_id, bytes)
      group by endpoint_id
    ) g where q.endpoint_id = g.endpoint_id`.execute(db)
}

/** Bodies looked at in one go for an endpoint that stores too much. */
const bodiesPerPortion = 200

/**
 * Takes away the oldest bodies of an endpoint's ended deliveries, up to so many bytes and a portion of them: they cannot be replayed any more.
 * The caller holds the queue's row. Answers how many bytes went; 0: there is none left.
 */
export async function dropOldestBodies(db: Db, endpointId: string, bytes: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select d.id, sum(octet_length(b.body)) over (order by d.created_at, d.id) - octet_length(b.body) as before
      from (
        select id, created_at from deliveries where endpoint_id = ${endpointId} and has_body and due_at is null
        order by created_at limit ${bodiesPerPortion} for no key update skip locked
      ) d join delivery_bodies b on b.delivery_id = d.id
    ) oldest where before < ${bytes}::bigint`.execute(db)
  const gone = await takeBodies(
    db,
    rows.map(({ id }) => id),
  )
  return gone.reduce((sum, of) => sum + of.bytes, 0)
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

/** The log past retention: ended deliveries whose bodies have gone. At most `limit`; answers how many went. */
export const deleteOldDeliveries = (db: Db, { days, limit }: { days: number; limit: number }): Promise<number> =>
  countOf(
    sql`
    delete from deliveries where id in (
      select id from deliveries where created_at < now() - make_interval(days => ${days}) and due_at is null and not has_body
      order by created_at limit ${limit}
    )`.execute(db),
  )

/** What is left of deleted endpoints, and at last the endpoints; at most `limit` of each. Answers how many rows of the largest went. */
export async function deleteOfDeletedEndpoints(db: Db, limit: number): Promise<number> {
  const deliveries = await countOf(
    sql`
    delete from deliveries where id in (
      select d.id from endpoints e join deliveries d on d.endpoint_id = e.id where e.deleted_at is not null limit ${limit}
    )`.execute(db),
  )
  const waiting = await countOf(
    sql`
    delete from waiting_events where (endpoint_id, event_id) in (
      select w.endpoint_id, w.event_id from endpoints e join waiting_events w on w.endpoint_id = e.id where e.deleted_at is not null limit ${limit}
    )`.execute(db),
  )
  if (deliveries === limit || waiting === limit) return limit
  // An attempt may still be on its way: a minute is longer than any lease.
  return countOf(
    sql`
    delete from endpoints where id in (
      select id from endpoints where deleted_at < now() - interval '1 minute' order by deleted_at limit ${limit}
    )`.execute(db),
  )
}

/** The marks of users whose erasure is so long ago that nothing is being frozen any more that names them. */
export const deleteOldErasedUsers = (db: Db, limit: number): Promise<number> =>
  countOf(
    sql`
    delete from erased_users where (app_id, user_id) in (
      select app_id, user_id from erased_users where at < now() - interval '1 day' order by at limit ${limit}
    )`.execute(db),
  )

const countOf = async (deleted: Promise<{ numAffectedRows?: bigint }>): Promise<number> => Number((await deleted).numAffectedRows ?? 0)
