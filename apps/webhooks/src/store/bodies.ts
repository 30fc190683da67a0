import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Marks a user as erased. The caller has locked the app's event log, so no body of the app is written meanwhile. */
export const insertErasedUser = (db: Db, { appId, userId }: { appId: string; userId: string }): Promise<unknown> =>
  db
    .insertInto('erased_users')
    .values({ app_id: appId, user_id: userId })
    .onConflict((conflict) => conflict.columns(['app_id', 'user_id']).doUpdateSet({ at: sql<Date>`now()` }))
    .execute()

/** Deletes the marks of an app's erased users. */
export const deleteErasedUsers = (db: Db, appId: string): Promise<unknown> =>
  db.deleteFrom('erased_users').where('app_id', '=', appId).execute()

/** Finds which of these users are marked as erased. Their external ids must not be written, even though audience gave them before the erasure. */
export async function findErasedUsers(db: Db, userIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ user_id: string }>`select user_id from erased_users where user_id = any(${userIds}::text[])`.execute(db)
  return new Set(rows.map(({ user_id }) => user_id))
}

/** Names the events of a body: those of these types with the numbers above `after` and up to `until`, counted since the app's event log began. */
export type BodyKey = { appId: string; types: string; after: number; until: number }
export type StoredBody = { id: number; bytes: number }
export type NewBody = { userIds: string[]; eventCount: number; events: Buffer }

const keysOf = (keys: BodyKey[]) => sql`unnest(
  ${keys.map((_key, no) => no)}::int[], ${keys.map(({ appId }) => appId)}::text[], ${keys.map(({ types }) => types)}::text[],
  ${keys.map(({ after }) => after)}::bigint[], ${keys.map(({ until }) => until)}::bigint[]
) as k(no, app_id, types, after_count, until_count)`

/** Finds existing bodies, each at the index of its key. With `isHeld` they are locked against deletion until the transaction ends. */
export async function findBodies(db: Db, keys: BodyKey[], { isHeld = false } = {}): Promise<(StoredBody | undefined)[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<StoredBody & { no: number }>`
    select k.no, b.id, b.bytes from ${keysOf(keys)} cross join lateral (
      select id, octet_length(events) as bytes from bodies
      where app_id = k.app_id and types = k.types and after_count = k.after_count and until_count = k.until_count
      offset 0 ${isHeld ? sql`for key share` : sql``}
    ) b`.execute(db)
  const found = new Map(rows.map(({ no, ...body }) => [no, body]))
  return keys.map((_key, no) => found.get(no))
}

/** Writes bodies and gives their ids in the order given. The caller has locked the app's event log, so no other transaction writes the same body. */
export async function insertBodies(
  trx: Db,
  bodies: (NewBody & { key: Omit<BodyKey, 'after' | 'until'> & Partial<BodyKey> })[],
): Promise<number[]> {
  if (bodies.length === 0) return []
  const rows = await trx
    .insertInto('bodies')
    .values(
      bodies.map(({ key, userIds, eventCount, events }) => ({
        app_id: key.appId,
        types: key.types,
        after_count: key.after ?? null,
        until_count: key.until ?? null,
        event_count: eventCount,
        user_ids: userIds,
        events,
      })),
    )
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Reads the events of bodies, by id. A body that no longer exists is left out. */
export async function readBodies(db: Db, ids: number[]): Promise<Map<number, Buffer>> {
  const { rows } = await sql<{ id: number; events: Buffer }>`select id, events from bodies where id = any(${ids}::bigint[])`.execute(db)
  return new Map(rows.map(({ id, events }) => [id, events]))
}

export type NamingBody = { id: number; appId: string; types: string; eventCount: number; userIds: string[]; events: Buffer }

/** Finds the bodies of an app that name a user. */
export async function findBodiesOfUser(
  trx: Db,
  { appId, userId }: { appId: string; userId: string },
  limit: number,
): Promise<NamingBody[]> {
  const { rows } = await sql<NamingBody>`
    select id, app_id as "appId", types, event_count as "eventCount", user_ids as "userIds", events from bodies
    where user_ids @> array[${userId}]::text[] and app_id || '' = ${appId} limit ${limit}`.execute(trx)
  return rows
}

/** Deletes bodies and ends their deliveries. Gives the deliveries that were still pending. */
export async function eraseDeliveries(trx: Db, bodyIds: number[]): Promise<{ endpointId: string; bodyId: number }[]> {
  const { rows } = await sql<{ endpointId: string; bodyId: number; wasPending: boolean; bytes: number }>`
    with before as (
      select d.id, d.endpoint_id, d.state, d.body_id, octet_length(b.events) as bytes
      from deliveries d join bodies b on b.id = d.body_id where d.body_id = any(${bodyIds}::bigint[]) for no key update of d
    ), ended as (
      update deliveries d set body_id = null, state = case when d.state = 'pending' then 'erased' else d.state end,
        due_at = null, lease_until = null, ended_at = coalesce(d.ended_at, now())
      where d.id = any(array(select id from before))
    )
    select endpoint_id as "endpointId", body_id as "bodyId", state = 'pending' as "wasPending", bytes from before`.execute(trx)
  await subtractBodyBytes(trx, rows)
  await sql`delete from bodies where id = any(${bodyIds}::bigint[])`.execute(trx)
  return rows.filter(({ wasPending }) => wasPending)
}

/** Queries that find and lock deliveries whose bodies are past their retention. Each reads an index in the order of age. */
export const oldBodies = {
  /** Bodies are kept for `keptHours` after a success. */
  delivered: ({ keptHours, limit }: { keptHours: number; limit: number }) => sql<{ id: string }>`
    select id from deliveries where body_id is not null and state = 'delivered' and ended_at < now() - make_interval(hours => ${keptHours}::int)
    order by ended_at limit ${limit} for no key update skip locked`,
  /** Bodies are kept for `keptHours` after another end or, while the delivery has not ended, after it was made. */
  other: ({ keptHours, limit }: { keptHours: number; limit: number }) => sql<{ id: string }>`
    select id from deliveries
    where body_id is not null and state <> 'delivered' and coalesce(ended_at, created_at) < now() - make_interval(hours => ${keptHours}::int)
    order by coalesce(ended_at, created_at) limit ${limit} for no key update skip locked`,
}

/**
 * Takes the bodies from deliveries that the caller has locked, and ends pending ones as failed. Bodies that no other delivery uses are deleted. Gives
 * each delivery's endpoint and the bytes of its body.
 */
async function takeBodies(trx: Db, ids: string[]): Promise<{ endpointId: string; bytes: number }[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ endpointId: string; bodyId: number; bytes: number }>`
    with before as (
      select d.id, d.endpoint_id, d.body_id, octet_length(b.events) as bytes from deliveries d join bodies b on b.id = d.body_id
      where d.id = any(${ids}::text[])
    ), ended as (
      update deliveries set body_id = null, state = case when state = 'pending' then 'failed' else state end,
        due_at = null, lease_until = null, ended_at = coalesce(ended_at, now())
      where id = any(${ids}::text[])
    )
    select endpoint_id as "endpointId", body_id as "bodyId", bytes from before`.execute(trx)
  await subtractBodyBytes(trx, rows)
  await deleteUnusedBodies(
    trx,
    rows.map(({ bodyId }) => bodyId),
  )
  return rows
}

/**
 * Deletes those of these bodies that no delivery uses. The bodies are locked first, so that the second statement sees every delivery that another
 * transaction has made of them before.
 */
async function deleteUnusedBodies(trx: Db, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`select 1 from bodies where id = any(${ids}::bigint[]) order by id for update`.execute(trx)
  await sql`
    delete from bodies b where b.id = any(${ids}::bigint[])
      and not exists (select from deliveries where body_id = b.id offset 0)`.execute(trx)
}

/**
 * Takes the bodies from at most `limit` deliveries past the retention of their bodies, and ends pending ones as failed. A body that no other delivery
 * uses is deleted. The caller opens the transaction. Gives how many deliveries.
 */
export async function deleteOldBodies(db: Db, kind: 'delivered' | 'other', about: { keptHours: number; limit: number }): Promise<number> {
  const { rows } = await oldBodies[kind](about).execute(db)
  await takeBodies(
    db,
    rows.map(({ id }) => id),
  )
  return rows.length
}

/**
 * Subtracts the bytes of bodies, which their deliveries have lost, from what the endpoints store. Locks the queues in the order of their ids, as
 * every writer of several queues does.
 */
async function subtractBodyBytes(db: Db, gone: { endpointId: string; bytes: number }[]): Promise<void> {
  if (gone.length === 0) return
  const ids = [...new Set(gone.map(({ endpointId }) => endpointId))]
  await sql`select 1 from queues where endpoint_id = any(${ids}::text[]) order by endpoint_id for no key update`.execute(db)
  await sql`
    update queues q set body_bytes = greatest(0, q.body_bytes - g.bytes)
    from (
      select endpoint_id, sum(bytes) as bytes
      from unnest(${gone.map(({ endpointId }) => endpointId)}::text[], ${gone.map(({ bytes }) => bytes)}::bigint[]) as g(endpoint_id, bytes)
      group by endpoint_id
    ) g where q.endpoint_id = any(${ids}::text[]) and q.endpoint_id = g.endpoint_id`.execute(db)
}

/** One portion of the bodies that an endpoint loses because it stores too many bytes has at most this many bodies. */
const bodiesPerPortion = 200

/**
 * Deletes the oldest bodies of an endpoint's ended deliveries, about `bytes` bytes and at most 200 bodies; these cannot be replayed any more. The
 * caller has locked the queue. Gives the freed bytes; 0 without such a body.
 */
export async function dropOldestBodies(db: Db, endpointId: string, bytes: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select d.id, sum(octet_length(b.events)) over (order by d.created_at, d.id) - octet_length(b.events) as before
      from (
        select id, created_at, body_id from deliveries where endpoint_id = ${endpointId} and body_id is not null and due_at is null
        order by created_at limit ${bodiesPerPortion} for no key update skip locked
      ) d join bodies b on b.id = d.body_id
    ) oldest where before < ${bytes}::bigint`.execute(db)
  const gone = await takeBodies(
    db,
    rows.map(({ id }) => id),
  )
  return gone.reduce((sum, of) => sum + of.bytes, 0)
}

/** Deletes deliveries of endpoints, at most `limit`, and the bodies that no other delivery uses. Gives how many deliveries it deleted. */
export async function deleteOfEndpoints(trx: Db, endpointIds: string[], limit: number): Promise<number> {
  const { rows } = await sql<{ bodyId: number | null }>`
    delete from deliveries where id = any(array(select id from deliveries where endpoint_id = any(${endpointIds}::text[]) limit ${limit}))
    returning body_id as "bodyId"`.execute(trx)
  await deleteUnusedBodies(
    trx,
    rows.flatMap(({ bodyId }) => bodyId ?? []),
  )
  return rows.length
}

/** Deletes ended deliveries that are past the retention of the delivery log and have no body, at most `limit`, and gives how many it deleted. */
export const deleteOldDeliveries = (db: Db, { days, limit }: { days: number; limit: number }): Promise<number> =>
  countOf(
    sql`
    delete from deliveries where id in (
      select id from deliveries where created_at < now() - make_interval(days => ${days}) and due_at is null and body_id is null
      order by created_at limit ${limit}
    )`.execute(db),
  )

/**
 * Deletes, inside a transaction, the deliveries of deleted endpoints and then the endpoints, at most `limit` of each. Gives `limit` while there may
 * be more deliveries, and otherwise how many endpoints it deleted.
 */
export async function deleteOfDeletedEndpoints(trx: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from endpoints where deleted_at is not null order by deleted_at limit ${limit} for no key update skip locked`.execute(trx)
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  if ((await deleteOfEndpoints(trx, ids, limit)) === limit) return limit
  // An attempt may still be under way. A minute is longer than any lease.
  return countOf(sql`delete from endpoints where id = any(${ids}::text[]) and deleted_at < now() - interval '1 minute'`.execute(trx))
}

/** Deletes the marks of users who were erased more than a day ago: by then no body that was begun before the erasure is still being made. */
export const deleteOldErasedUsers = (db: Db, limit: number): Promise<number> =>
  countOf(
    sql`
    delete from erased_users where (app_id, user_id) in (
      select app_id, user_id from erased_users where at < now() - interval '1 day' order by at limit ${limit}
    )`.execute(db),
  )

const countOf = async (deleted: Promise<{ numAffectedRows?: bigint }>): Promise<number> => Number((await deleted).numAffectedRows ?? 0)
