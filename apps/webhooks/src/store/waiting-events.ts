import { sql } from 'kysely'
import { batchAfterMs, batchSize, mostPending, mostWaiting } from '../core/batch.ts'
import { dropOldestBodies } from './bodies.ts'
import type { Db } from './tables.ts'

export type NewWaiting = { endpointId: string; eventId: string; userId: string | null; event: string }

/** Marks announcements as taken over; answers those that were not before. */
export async function insertCollected(db: Db, announcementIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ announcement_id: string }>`
    insert into collected (announcement_id) select unnest(${announcementIds.toSorted()}::text[])
    on conflict do nothing returning announcement_id`.execute(db)
  return new Set(rows.map((row) => row.announcement_id))
}

/**
 * Puts events into the queues of their endpoints, each once, in the order given; counts them last, by endpoint id. Not sorted by key: two
 * commits with the same event are two of the same announcement, and `insertCollected` has already made one wait for the other. An endpoint
 * that stores more than `mostBytes` then loses the oldest bodies that are only kept for a replay, and when that is not enough its oldest
 * waiting events. Answers how many of the oldest events had to be dropped.
 */
export async function insertWaiting(db: Db, events: NewWaiting[], mostBytes: number): Promise<number> {
  if (events.length === 0) return 0
  let dropped = 0
  const { rows } = await sql<{ endpoint_id: string; waiting: number; bytes: number }>`
    with given as (
      select * from unnest(
        ${events.map(({ endpointId }) => endpointId)}::text[], ${events.map(({ eventId }) => eventId)}::text[],
        ${events.map(({ userId }) => userId)}::text[], ${events.map(({ event }) => event)}::text[]
      ) with ordinality as e(endpoint_id, event_id, user_id, event, n)
    ), put as (
      insert into waiting_events (endpoint_id, event_id, user_id, event)
      select endpoint_id, event_id, user_id, event from given order by n
      on conflict do nothing returning endpoint_id, octet_length(event) as bytes
    )
    select endpoint_id, count(*)::int as waiting, sum(bytes)::int as bytes from put group by endpoint_id order by endpoint_id`.execute(db)
  for (const put of rows) {
    const {
      rows: [queue],
    } = await sql<{ waiting: number; bytes: number }>`
      update queues set waiting = waiting + ${put.waiting}, waiting_bytes = waiting_bytes + ${put.bytes}::bigint
      where endpoint_id = ${put.endpoint_id} returning waiting, (waiting_bytes + body_bytes)::float8 as bytes`.execute(db)
    if (!queue) continue
    if (queue.waiting > mostWaiting) dropped += await dropOldest(db, put.endpoint_id, { events: queue.waiting - mostWaiting, bytes: 0 })
    if (queue.bytes > mostBytes) dropped += await makeRoom(db, put.endpoint_id, queue.bytes - mostBytes)
  }
  return dropped
}

/** Portions in one transaction, each of 200 bodies: ten times what a commit brings. What is still too much goes with the next events. */
const portionsPerCommit = 10

/** Frees so many bytes of an endpoint. The caller holds the queue's row. Answers how many waiting events had to go for it. */
async function makeRoom(db: Db, endpointId: string, tooMany: number): Promise<number> {
  let left = tooMany
  for (let portion = 0; portion < portionsPerCommit; portion += 1) {
    const freed = await dropOldestBodies(db, endpointId, left)
    left -= freed
    if (left <= 0) return 0
    if (freed === 0) return dropOldest(db, endpointId, { events: 0, bytes: left })
  }
  return 0
}

/** Drops the oldest events of a queue until so many events and so many bytes have gone. The caller holds the queue's row. */
async function dropOldest(db: Db, endpointId: string, { events, bytes }: { events: number; bytes: number }): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with dropped as (
      delete from waiting_events where (endpoint_id, event_id) in (
        select endpoint_id, event_id from (
          select endpoint_id, event_id, row_number() over (order by place) as n,
            sum(octet_length(event)) over (order by place) - octet_length(event) as before
          from (
            select * from waiting_events where endpoint_id = ${endpointId} order by place limit ${bytes > 0 ? mostDroppedForBytes : events}
          ) o
        ) oldest where n <= ${events} or before < ${bytes}::bigint
      ) returning octet_length(event) as bytes
    )
    update queues set waiting = waiting - (select count(*) from dropped), dropped = dropped + (select count(*) from dropped),
      waiting_bytes = greatest(0, waiting_bytes - (select coalesce(sum(bytes), 0) from dropped))
    where endpoint_id = ${endpointId}
    returning (select count(*)::int from dropped) as count`.execute(db)
  return rows[0]?.count ?? 0
}

/** A commit brings 8,000 events at most. */
const mostDroppedForBytes = 20_000

/** A queue that holds something, and in how many milliseconds its batch is due (0 and below: now). */
export type QueueHead = { endpointId: string; appId: string; dueInMs: number }

/**
 * The queues of open endpoints, by when their batch is due: at 100 events or a second after the oldest came. Those whose endpoint has
 * enough deliveries ready that it has not taken, or 1,000 to be tried again, are left out: what it is sent next waits here. One look into the
 * index of waiting events for each that has some: endpoints that have none cost nothing.
 */
export async function findQueueHeads(db: Db, limit: number): Promise<QueueHead[]> {
  const { rows } = await sql<QueueHead>`
    with recursive waiting as (
      (select endpoint_id from waiting_events order by endpoint_id limit 1)
      union all
      select (select w.endpoint_id from waiting_events w where w.endpoint_id > waiting.endpoint_id order by w.endpoint_id limit 1)
      from waiting where endpoint_id is not null
    )
    select q.endpoint_id as "endpointId", e.app_id as "appId",
      case when q.waiting >= ${batchSize} then 0
        else extract(epoch from head.buffered_at - now())::float8 * 1000 + ${batchAfterMs} end as "dueInMs"
    from waiting
      cross join lateral (select * from queues where endpoint_id = waiting.endpoint_id offset 0) q
      cross join lateral (select * from endpoints where id = waiting.endpoint_id offset 0) e
      cross join lateral (select buffered_at from waiting_events where endpoint_id = q.endpoint_id order by place limit 1) head
    where q.waiting > 0 and e.enabled and e.deleted_at is null
      and not exists (select from deliveries where endpoint_id = q.endpoint_id and due_at <= now() offset ${readyAhead - 1})
      and not exists (select from deliveries where endpoint_id = q.endpoint_id and due_at is not null offset ${mostPending - 1})
    order by "dueInMs" limit ${limit}`.execute(db)
  return rows
}

/** Deliveries made ahead of what an endpoint has taken: two for its two slots, two so that none waits for the next look. */
const readyAhead = 4

export type WaitingRow = { endpoint_id: string; event_id: string; user_id: string | null; event: string }

/** The oldest events of these queues, at most a batch each. Not locked: who takes them says what it really got. */
export async function findOldest(db: Db, endpointIds: string[]): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select w.* from unnest(${endpointIds}::text[]) as q(endpoint_id) cross join lateral (
      select endpoint_id, event_id, user_id, event from waiting_events where endpoint_id = q.endpoint_id order by place limit ${batchSize}
    ) w`.execute(db)
  return rows
}

/** Locks the queues that nobody else has locked, in the order of their ids, and answers them. */
export async function lockFreeQueues(db: Db, endpointIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ endpoint_id: string }>`
    select endpoint_id from queues where endpoint_id = any(${endpointIds}::text[]) order by endpoint_id
    for no key update skip locked`.execute(db)
  return new Set(rows.map((row) => row.endpoint_id))
}

/** Takes events out of queues that the caller has locked; answers what was still there, `endpoint event`, for `isTaken`. */
export async function takeWaiting(db: Db, events: WaitingRow[]): Promise<Set<string>> {
  const { rows } = await sql<{ endpoint_id: string; event_id: string }>`
    with taken as (
      delete from waiting_events w using unnest(
        ${events.map((it) => it.endpoint_id)}::text[], ${events.map((it) => it.event_id)}::text[]
      ) as t(endpoint_id, event_id)
      where w.endpoint_id = t.endpoint_id and w.event_id = t.event_id
      returning w.endpoint_id, w.event_id, octet_length(w.event) as bytes
    ), counted as (
      update queues q set waiting = waiting - n.count, waiting_bytes = greatest(0, q.waiting_bytes - n.bytes)
      from (select endpoint_id, count(*)::int as count, sum(bytes) as bytes from taken group by endpoint_id) n
      where q.endpoint_id = n.endpoint_id
    )
    select endpoint_id, event_id from taken`.execute(db)
  return new Set(rows.map(keyOf))
}

export const keyOf = ({ endpoint_id, event_id }: { endpoint_id: string; event_id: string }): string => `${endpoint_id} ${event_id}`

/** Marks of announcements that will not come again. At most `limit`; answers how many went. */
export async function deleteOldMarks(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from collected where announcement_id in (
      select announcement_id from collected where at < now() - interval '3 days' order by at limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

const queuesPerPortion = 100

/**
 * Events that waited too long for an endpoint that is switched off. Of a queue only the oldest are looked at, and queues are locked in the order
 * of their ids, as everybody does. At most `limit`; answers how many went.
 */
export async function deleteStale(db: Db, { eventDays, limit }: { eventDays: number; limit: number }): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with off as (
      select q.endpoint_id from queues q join endpoints e on e.id = q.endpoint_id
        cross join lateral (select buffered_at from waiting_events where endpoint_id = q.endpoint_id order by place limit 1) head
      where q.waiting > 0 and not e.enabled and head.buffered_at < now() - make_interval(days => ${eventDays})
      order by q.endpoint_id limit ${queuesPerPortion} for no key update of q skip locked
    ), stale as (
      delete from waiting_events w where (w.endpoint_id, w.event_id) in (
        select old.endpoint_id, old.event_id from off cross join lateral (
          select endpoint_id, event_id, buffered_at from waiting_events where endpoint_id = off.endpoint_id order by place limit ${limit}
        ) old where old.buffered_at < now() - make_interval(days => ${eventDays}) limit ${limit}
      ) returning w.endpoint_id, octet_length(w.event) as bytes
    ), counted as (
      update queues q set waiting = waiting - n.count, dropped = dropped + n.count, waiting_bytes = greatest(0, q.waiting_bytes - n.bytes)
      from (select endpoint_id, count(*)::int as count, sum(bytes) as bytes from stale group by endpoint_id) n
      where q.endpoint_id = n.endpoint_id
    )
    select count(*)::int as count from stale`.execute(db)
  return rows[0]?.count ?? 0
}
