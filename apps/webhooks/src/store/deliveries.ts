import { notFound } from '@herald/contracts/fault'
import type { WebhookAttempt, WebhookDelivery } from '@herald/contracts/webhook'
import { sql } from 'kysely'
import { failsOrIsSlow } from './endpoints.ts'
import type { Db } from './tables.ts'

/**
 * The lease of an attempt, renewed every second. It is short, because an endpoint gets at most two posts at once: after a process was killed it may
 * get no other post until the leases end.
 */
const lease = sql<Date>`now() + interval '4 seconds'`

/** An endpoint gets at most this many posts at once, so that a slow endpoint leaves the rest of a process to others. */
export const mostInFlight = 2

export type NewDelivery = { id: string; endpointId: string; eventCount: number; bodyId: number }

/** Writes deliveries, which are due at once. The caller has locked the bodies, and adds their bytes to what the endpoints store. */
export async function insertDeliveries(db: Db, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  await sql`
    insert into deliveries (id, endpoint_id, event_count, body_id, due_at)
    select id, endpoint_id, event_count, body_id, now() from unnest(
      ${deliveries.map(({ id }) => id)}::text[], ${deliveries.map(({ endpointId }) => endpointId)}::text[],
      ${deliveries.map(({ eventCount }) => eventCount)}::int[], ${deliveries.map(({ bodyId }) => bodyId)}::bigint[]
    ) as d(id, endpoint_id, event_count, body_id)`.execute(db)
}

export type TakenDelivery = {
  id: string
  endpointId: string
  appId: string
  takes: number
  tries: number
  /** True when the lease of an earlier take has ended and no process has written what came of its attempt. */
  wasLost: boolean
  url: string
  sealedSecret: string
  secretVersion: number
  /** True when the last attempt at the endpoint failed or was slow. The attempt at this delivery may then take the full ten seconds again. */
  isSuspect: boolean
  bodyId: number
}

/**
 * Locks the endpoints that are switched on and have a delivery due, or `only` one of them. Endpoints that another process has locked are left out, and
 * those that rest.
 */
export async function lockOpenEndpoints(db: Db, resting: string[], only?: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from endpoints
    where enabled and deleted_at is null and id = any(array(select distinct endpoint_id from deliveries where due_at <= now()))
      and id <> all(${resting}::text[]) ${only === undefined ? sql`` : sql`and id = ${only}`}
    order by id for no key update skip locked`.execute(db)
  return rows.map(({ id }) => id)
}

/** At most this many deliveries of an app are taken at once, in turn with those of other apps. The next sweep takes more. */
const mostOfApp = 32

/**
 * Takes due deliveries from all apps in turn: at most `deliveries`, `suspects` of them for endpoints whose last attempt failed or was slow, and two an
 * endpoint with those under way. `only`: this endpoint alone. Runs inside a transaction.
 */
export async function takeDueDeliveries(
  db: Db,
  { deliveries, suspects, resting = [], only }: { deliveries: number; suspects: number; resting?: string[]; only?: string },
): Promise<TakenDelivery[]> {
  const endpointIds = await lockOpenEndpoints(db, resting, only)
  if (endpointIds.length === 0) return []
  // The endpoints are locked by a statement before this one, so that this one sees and counts the deliveries under way that other processes
  // committed.
  const { rows } = await sql<TakenDelivery>`
    with ready as (
      select d.id, d.due_at, d.was_lost, e.id as endpoint_id, e.app_id, e.url, e.sealed_secret, e.secret_version, ${failsOrIsSlow} as suspect
      from endpoints e cross join lateral (
        select id, due_at, lease_until is not null as was_lost from deliveries
        where endpoint_id = e.id and due_at <= now() order by due_at
        limit greatest(0, ${mostInFlight} - (select count(*) from deliveries f where f.endpoint_id = e.id and f.lease_until > now()))
      ) d
      where e.id = any(${endpointIds}::text[])
    ), by_app as (
      select *, row_number() over (partition by app_id order by suspect, due_at) as turn from ready
    ), ranked as (
      select *, row_number() over (partition by suspect order by turn, due_at) as place from by_app where turn <= ${mostOfApp}
    ), due as (
      select * from ranked where not suspect or place <= ${suspects} order by turn, due_at limit ${deliveries}
    ), free as (
      select id from deliveries where id = any(array(select id from due)) order by id for no key update skip locked
    )
    update deliveries d set takes = d.takes + 1, lease_until = ${lease}, due_at = ${lease}
    from due, (select set_config('synchronous_commit', 'off', true)) as quick
    where d.id = any(array(select id from free)) and d.id = due.id
    returning d.id, due.endpoint_id as "endpointId", due.app_id as "appId", d.takes, d.tries, due.was_lost as "wasLost", due.url, due.sealed_secret as "sealedSecret",
      due.secret_version as "secretVersion", due.suspect as "isSuspect", d.body_id as "bodyId"`.execute(db)
  return rows
}

/** Gives the milliseconds until the next delivery becomes due; undefined when there is none that is due later. */
export async function findNextDue(db: Db): Promise<number | undefined> {
  // Ordered, and not as min(), for which Postgres read all 194 that waited in one of many plans.
  const { rows } = await sql<{ inMs: number }>`
    select extract(epoch from due_at - now())::float8 * 1000 as "inMs" from deliveries where due_at > now() order by due_at limit 1`.execute(
    db,
  )
  return rows[0]?.inMs
}

export type EndedAttempt = {
  id: string
  takes: number
  attempt: WebhookAttempt
  next: { state: WebhookDelivery['state']; inMs: number | null }
}

/**
 * Writes ended attempts: each delivery has ended, or is due again. Gives the ids of those written; one that another process has taken since or that
 * was erased is left out. The commit does not wait for the disk.
 */
export async function endAttempts(trx: Db, ended: EndedAttempt[]): Promise<Set<string>> {
  const ids = ended.map(({ id }) => id)
  const { rows } = await sql<{ id: string }>`
    update deliveries d set
      attempts = (case when jsonb_array_length(d.attempts) >= ${attemptsKept} then d.attempts - 0 else d.attempts end) || given.attempt,
      tries = d.tries + 1, state = given.state, lease_until = null,
      due_at = now() + given.in_ms * interval '1 millisecond',
      ended_at = case when given.in_ms is null then now() end
    from unnest(
      ${ids}::text[], ${ended.map(({ takes }) => takes)}::int[], ${ended.map(({ attempt }) => JSON.stringify([attempt]))}::jsonb[],
      ${ended.map(({ next }) => next.state)}::text[], ${ended.map(({ next }) => next.inMs)}::float8[]
    ) as given(id, takes, attempt, state, in_ms), (select set_config('synchronous_commit', 'off', true)) as quick
    where d.id = any(${ids}::text[]) and d.id = given.id and d.takes = given.takes and d.state = 'pending'
    returning d.id`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/** A delivery keeps at most this many attempts. When replays add more, the oldest are removed. */
const attemptsKept = 50

/**
 * Renews the leases of deliveries that no other process has taken. Locked ones are skipped, to avoid a deadlock. One whose result was written stays
 * without a lease: with one, its next take would count an attempt nobody made.
 */
export const renewLeases = (db: Db, taken: { id: string; takes: number }[]): Promise<unknown> =>
  sql`
    with held as (
      select d.id from deliveries d
        join unnest(${taken.map(({ id }) => id)}::text[], ${taken.map(({ takes }) => takes)}::int[]) as t(id, takes)
          on d.id = t.id and d.takes = t.takes
      where d.state = 'pending' and d.lease_until is not null for no key update of d skip locked
    )
    update deliveries d set lease_until = ${lease}, due_at = ${lease} from held where d.id = held.id`.execute(db)

/**
 * Gives back deliveries that were taken and not posted, due after `inMs`; no attempt counts. One whose earlier attempt was lost keeps an ended lease,
 * so that the next take knows of that attempt.
 */
export const giveBack = (db: Db, taken: Pick<TakenDelivery, 'id' | 'takes' | 'wasLost'>[], inMs = 0): Promise<unknown> =>
  sql`
    update deliveries d set lease_until = case when t.was_lost then now() end, due_at = now() + ${inMs}::float8 * interval '1 millisecond'
    from unnest(
      ${taken.map(({ id }) => id)}::text[], ${taken.map(({ takes }) => takes)}::int[], ${taken.map(({ wasLost }) => wasLost)}::bool[]
    ) as t(id, takes, was_lost)
    where d.id = t.id and d.takes = t.takes and d.state = 'pending'`.execute(db)

const shownColumns = ['id', 'state', 'event_count', 'attempts', 'due_at', 'lease_until', 'body_id', 'created_at', 'ended_at'] as const
type ShownRow = {
  id: string
  state: WebhookDelivery['state']
  event_count: number
  attempts: WebhookAttempt[]
  due_at: Date | null
  lease_until: Date | null
  body_id: number | null
  created_at: Date
  ended_at: Date | null
}

const toDelivery = (row: ShownRow): WebhookDelivery => ({
  id: row.id,
  state: row.state,
  eventCount: row.event_count,
  attempts: row.attempts,
  nextAttemptAt: row.lease_until === null ? (row.due_at?.toISOString() ?? null) : null,
  replayable: row.body_id !== null && row.state !== 'pending',
  createdAt: row.created_at.toISOString(),
  endedAt: row.ended_at?.toISOString() ?? null,
})

export type DeliveryFilter = {
  webhookId: string
  state?: WebhookDelivery['state'] | undefined
  /** Deliveries that were made at `from` or later, and before `to`, as ISO times. */
  from?: string | undefined
  to?: string | undefined
  after: { createdAt: Date; id: string } | undefined
  limit: number
}
export type FoundDelivery = { id: string; createdAt: Date; delivery: WebhookDelivery }

/** A page of deliveries in one state examines at most this many deliveries. */
const mostExamined = 5_000

/**
 * Finds up to `limit` + 1 deliveries of an endpoint, newest first. With a state it looks among the next 5,000, so that pages stay cheap; `examinedTo`
 * begins the next page, undefined when fewer than 5,000 were left.
 */
export async function findDeliveries(
  db: Db,
  { webhookId, state, from, to, after, limit }: DeliveryFilter,
): Promise<{ rows: FoundDelivery[]; examinedTo: { createdAt: Date; id: string } | undefined }> {
  const examined = state === undefined ? limit + 1 : mostExamined
  const { rows } = await sql<ShownRow & { examined: number; is_wanted: boolean }>`
    with examined as materialized (
      select id, state, created_at from deliveries
      where endpoint_id = ${webhookId}
        ${after === undefined ? sql`` : sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id})`}
        ${from === undefined ? sql`` : sql`and created_at >= ${from}::timestamptz`} ${to === undefined ? sql`` : sql`and created_at < ${to}::timestamptz`}
      order by created_at desc, id desc limit ${examined}
    ), wanted as materialized (
      select id from examined ${state === undefined ? sql`` : sql`where state = ${state}`} order by created_at desc, id desc limit ${limit + 1}
    ), last as (select id from examined order by created_at, id limit 1)
    select ${sql.join(shownColumns.map((column) => sql.ref(`d.${column}`)))}, (select count(*)::int from examined) as examined,
      d.id in (select id from wanted) as is_wanted
    from deliveries d where d.id = any(array(select id from wanted union all select id from last))
    order by d.created_at desc, d.id desc`.execute(db)
  const last = rows.at(-1)
  const found = rows.filter(({ is_wanted }) => is_wanted)
  return {
    rows: found.map((row) => ({ id: row.id, createdAt: row.created_at, delivery: toDelivery(row) })),
    examinedTo: state !== undefined && last?.examined === mostExamined ? { createdAt: last.created_at, id: last.id } : undefined,
  }
}

/** Fault: not_found. */
export async function getDelivery(db: Db, { webhookId, deliveryId }: { webhookId: string; deliveryId: string }): Promise<WebhookDelivery> {
  const row = await db
    .selectFrom('deliveries')
    .select(shownColumns)
    .where('id', '=', deliveryId)
    .where('endpoint_id', '=', webhookId)
    .executeTakeFirst()
  if (!row) throw notFound()
  return toDelivery(row)
}

/** Finds the events of a delivery as they are posted; undefined when its body is no longer kept. */
export async function findEventsOf(
  db: Db,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .innerJoin('bodies', 'bodies.id', 'deliveries.body_id')
    .select('bodies.events')
    .where('deliveries.id', '=', deliveryId)
    .where('deliveries.endpoint_id', '=', webhookId)
    .executeTakeFirst()
  return row?.events
}

/** Makes an ended delivery due again with no attempts counted, if its body is still kept. Gives false when there is no such delivery. */
export async function restartDelivery(db: Db, { webhookId, deliveryId }: { webhookId: string; deliveryId: string }): Promise<boolean> {
  const restarted = await db
    .updateTable('deliveries')
    .set({ state: 'pending', tries: 0, due_at: sql<Date>`now()`, ended_at: null })
    .where('id', '=', deliveryId)
    .where('endpoint_id', '=', webhookId)
    .where('state', '!=', 'pending')
    .where('body_id', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  return restarted !== undefined
}
