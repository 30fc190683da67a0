import { notFound } from '@herald/contracts/fault'
import type { WebhookAttempt, WebhookDelivery } from '@herald/contracts/webhook'
import { sql } from 'kysely'
import { failsOrIsSlow } from './endpoints.ts'
import type { Db } from './tables.ts'

/**
 * Renewed every second while the attempt lasts. Short, because the leases of a process that was killed keep the slots of its endpoints: a
 * busy endpoint is served again after 4 s.
 */
const lease = sql<Date>`now() + interval '4 seconds'`

/** At most this many deliveries of an endpoint are on their way at once (issue: a slow endpoint never delays another). */
export const mostInFlight = 2

export type NewDelivery = { id: string; endpointId: string; eventCount: number; bodyId: number }

/** Writes deliveries, due at once. The caller holds the bodies, and counts them at the queues of the endpoints. */
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
  url: string
  sealedSecret: string
  secretVersion: number
  /** The last attempt had no good answer, or a slow one: it may use up its ten seconds again. */
  isSuspect: boolean
  bodyId: number
}

/** Endpoints that have something due; locked against other takers, who pass them over. */
async function lockOpenEndpoints(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from endpoints
    where enabled and deleted_at is null and id = any(array(select distinct endpoint_id from deliveries where due_at <= now()))
    order by id for no key update skip locked`.execute(db)
  return rows.map(({ id }) => id)
}

/** Of one app at most this many are taken at once, in turn with those of others; the next come with the next look. */
const mostOfApp = 32

/**
 * Takes what is due, at most two per endpoint counting those on their way, by turns of apps, and in all what the caller has room for: `slots`, of which
 * endpoints that failed last time get `suspectSlots`. Inside a transaction: the endpoints are locked first, and what is on their way is
 * counted by a second statement, which sees what others committed before.
 */
export async function takeDueDeliveries(
  db: Db,
  { slots, suspectSlots }: { slots: number; suspectSlots: number },
): Promise<TakenDelivery[]> {
  const endpointIds = await lockOpenEndpoints(db)
  if (endpointIds.length === 0) return []
  const { rows } = await sql<TakenDelivery>`
    with ready as (
      select d.id, d.due_at, e.id as endpoint_id, e.app_id, e.url, e.sealed_secret, e.secret_version, ${failsOrIsSlow} as suspect
      from endpoints e cross join lateral (
        select id, due_at from deliveries
        where endpoint_id = e.id and due_at <= now() order by due_at
        limit greatest(0, ${mostInFlight} - (select count(*) from deliveries f where f.endpoint_id = e.id and f.lease_until > now()))
      ) d
      where e.id = any(${endpointIds}::text[])
    ), by_app as (
      select *, row_number() over (partition by app_id order by suspect, due_at) as turn from ready
    ), ranked as (
      select *, row_number() over (partition by suspect order by turn, due_at) as place from by_app where turn <= ${mostOfApp}
    ), due as (
      select * from ranked where not suspect or place <= ${suspectSlots} order by turn, due_at limit ${slots}
    )
    update deliveries d set takes = d.takes + 1, lease_until = ${lease}, due_at = ${lease}
    from due, (select set_config('synchronous_commit', 'off', true)) as quick
    where d.id = any(array(select id from due)) and d.id = due.id
    returning d.id, due.endpoint_id as "endpointId", due.app_id as "appId", d.takes, d.tries, due.url, due.sealed_secret as "sealedSecret",
      due.secret_version as "secretVersion", due.suspect as "isSuspect", d.body_id as "bodyId"`.execute(db)
  return rows
}

/** In how many milliseconds the next delivery is due that is not now; undefined: none. */
export async function findNextDue(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ inMs: number | null }>`
    select extract(epoch from min(due_at) - now())::float8 * 1000 as "inMs" from deliveries where due_at > now()`.execute(db)
  return rows[0]?.inMs ?? undefined
}

export type EndedAttempt = {
  id: string
  takes: number
  attempt: WebhookAttempt
  next: { state: WebhookDelivery['state']; inMs: number | null }
}

/**
 * Ends attempts: each delivery is over, or due again. Answers the ids of those that were written: not what another took meanwhile, and not what was
 * erased. The commit waits for no disk.
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

/** Replays add to the list; the oldest go. */
const attemptsKept = 50

/** Keeps the leases of what is on its way and still the taker's. What is locked is just being ended, and is passed over: no deadlock with it. */
export const renewLeases = (db: Db, taken: { id: string; takes: number }[]): Promise<unknown> =>
  sql`
    with held as (
      select d.id from deliveries d
        join unnest(${taken.map(({ id }) => id)}::text[], ${taken.map(({ takes }) => takes)}::int[]) as t(id, takes)
          on d.id = t.id and d.takes = t.takes
      where d.state = 'pending' for no key update of d skip locked
    )
    update deliveries d set lease_until = ${lease}, due_at = ${lease} from held where d.id = held.id`.execute(db)

/** Gives back what was taken and not sent: the sooner it is due again, the sooner another sends it. */
export const giveBack = (db: Db, taken: { id: string; takes: number }[]): Promise<unknown> =>
  sql`
    update deliveries d set lease_until = null, due_at = now()
    from unnest(${taken.map(({ id }) => id)}::text[], ${taken.map(({ takes }) => takes)}::int[]) as t(id, takes)
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
  /** When the delivery was made (ISO): from this moment on, and before that. */
  from?: string | undefined
  to?: string | undefined
  after: { createdAt: Date; id: string } | undefined
  limit: number
}
export type FoundDelivery = { id: string; createdAt: Date; delivery: WebhookDelivery }

/** Deliveries that a page looks at, at most, when a state is asked for. */
const mostExamined = 5_000

/**
 * The log of an endpoint, newest first, one more than `limit`. With a state those of the next 5,000 that have it, so that a page costs the same
 * whatever the log holds; `examinedTo` is where to go on when there may be more.
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

/** The events of a delivery as they are posted; undefined when they are no longer kept. */
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

/** Starts another round of an ended delivery whose bytes are still there; false when there is none to start. */
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
