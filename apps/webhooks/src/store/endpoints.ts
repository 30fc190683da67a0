import { waitingOf } from '../core/reading.ts'
import type { Standing } from '../core/response.ts'
import type { CreateWebhook, PatchWebhook, Webhook } from '@herald/contracts/webhook'
import { notFound } from '@herald/contracts/fault'
import { sql } from 'kysely'
import { insertLog, makeLogDue } from './logs.ts'
import type { Db } from './tables.ts'

const shownColumns = [
  'endpoints.id',
  'endpoints.app_id',
  'endpoints.url',
  'endpoints.description',
  'endpoints.event_types',
  'endpoints.enabled',
  'endpoints.disabled_reason',
  'endpoints.disabled_at',
  'endpoints.consecutive_failures',
  'endpoints.secret_hint',
  'endpoints.last_delivery_at',
  'endpoints.last_status',
  'endpoints.last_error',
  'endpoints.created_at',
  'endpoints.updated_at',
  'queues.readings',
  'queues.dropped',
  'queues.body_bytes',
  'logs.head',
  'logs.totals',
] as const

/** Selects the endpoints that are not deleted, each with its queue and with the head and totals of its app's event log. */
const shown = (db: Db) =>
  db
    .selectFrom('endpoints')
    .innerJoin('queues', 'queues.endpoint_id', 'endpoints.id')
    .innerJoin('logs', 'logs.app_id', 'endpoints.app_id')
    .where('endpoints.deleted_at', 'is', null)
    .select(shownColumns)

type ShownRow = Awaited<ReturnType<ReturnType<typeof shown>['execute']>>[number]

function toWebhook(row: ShownRow): Webhook {
  const waiting = waitingOf(row.readings, row)
  return {
    id: row.id,
    appId: row.app_id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types,
    enabled: row.enabled,
    disabledReason: row.disabled_reason,
    disabledAt: row.disabled_at?.toISOString() ?? null,
    consecutiveFailures: row.consecutive_failures,
    secretHint: row.secret_hint,
    lastDeliveryAt: row.last_delivery_at?.toISOString() ?? null,
    lastStatus: row.last_status,
    lastError: row.last_error,
    waitingEvents: waiting.count,
    droppedEvents: row.dropped,
    storedBytes: waiting.bytes + row.body_bytes,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** Gives an endpoint. Fault: not_found, also for an endpoint of another app. */
export async function getEndpoint(db: Db, { appId, webhookId }: { appId: string; webhookId: string }): Promise<Webhook> {
  const row = await shown(db).where('endpoints.id', '=', webhookId).where('endpoints.app_id', '=', appId).executeTakeFirst()
  if (!row) throw notFound()
  return toWebhook(row)
}

/** Finds up to `limit` + 1 endpoints of an app, newest first, so that the list knows whether there are more. */
export async function findEndpoints(
  db: Db,
  { appId, limit, after }: { appId: string; limit: number; after: { createdAt: Date; id: string } | undefined },
): Promise<{ id: string; createdAt: Date; webhook: Webhook }[]> {
  const rows = await shown(db)
    .where('endpoints.app_id', '=', appId)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(endpoints.created_at, endpoints.id) < (${after?.createdAt}::timestamptz, ${after?.id})`),
    )
    .orderBy('endpoints.created_at', 'desc')
    .orderBy('endpoints.id', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map((row) => ({ id: row.id, createdAt: row.created_at, webhook: toWebhook(row) }))
}

export async function countEndpoints(db: Db, appId: string): Promise<number> {
  const { count } = await db
    .selectFrom('endpoints')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('app_id', '=', appId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertEndpoint(
  db: Db,
  endpoint: { id: string; appId: string; sealedSecret: string; secretHint: string } & CreateWebhook,
): Promise<void> {
  const { id, appId, url, description, eventTypes, sealedSecret, secretHint } = endpoint
  await db
    .insertInto('endpoints')
    .values({ id, app_id: appId, url, description, event_types: eventTypes, sealed_secret: sealedSecret, secret_hint: secretHint })
    .execute()
  await db.insertInto('queues').values({ endpoint_id: id }).execute()
  await insertLog(db, appId)
}

const one = (db: Db, { appId, webhookId }: { appId: string; webhookId: string }) =>
  db.updateTable('endpoints').where('id', '=', webhookId).where('app_id', '=', appId).where('deleted_at', 'is', null)

/** Changes the given fields. `enabled: false` switches the endpoint off by hand; `true` switches it on and clears its failures. Fault: not_found. */
export async function updateEndpoint(db: Db, at: { appId: string; webhookId: string }, changes: PatchWebhook): Promise<void> {
  const { url, description, eventTypes, enabled } = changes
  const updated = await one(db, at)
    .set({
      updated_at: sql<Date>`now()`,
      ...(url === undefined ? {} : { url }),
      ...(description === undefined ? {} : { description }),
      ...(eventTypes === undefined ? {} : { event_types: eventTypes }),
      ...(enabled === true ? { enabled, disabled_reason: null, disabled_at: null, consecutive_failures: 0 } : {}),
      ...(enabled === false
        ? {
            enabled,
            disabled_reason: sql<'manual'>`coalesce(disabled_reason, 'manual')`,
            disabled_at: sql<Date>`coalesce(disabled_at, now())`,
          }
        : {}),
    })
    .returning('id')
    .executeTakeFirst()
  if (!updated) throw notFound()
  if (enabled === true) await makeLogDue(db, at.appId)
}

/** Replaces the secret and gives its version. Fault: not_found. */
export async function replaceSecret(
  db: Db,
  at: { appId: string; webhookId: string },
  secret: { sealedSecret: string; secretHint: string },
): Promise<number> {
  const updated = await one(db, at)
    .set({
      sealed_secret: secret.sealedSecret,
      secret_hint: secret.secretHint,
      secret_version: sql<number>`secret_version + 1`,
      updated_at: sql<Date>`now()`,
    })
    .returning('secret_version')
    .executeTakeFirst()
  if (!updated) throw notFound()
  return updated.secret_version
}

/** Marks an endpoint as deleted. The housekeeping deletes its rows later. Fault: not_found. */
export async function markDeleted(db: Db, at: { appId: string; webhookId: string }): Promise<void> {
  const updated = await one(db, at)
    .set({ deleted_at: sql<Date>`now()`, enabled: false })
    .returning('id')
    .executeTakeFirst()
  if (!updated) throw notFound()
  await makeLogDue(db, at.appId)
}

/** Marks all endpoints of an app as deleted, and gives their ids, also of those that were deleted before. */
export async function markAllDeleted(db: Db, appId: string): Promise<string[]> {
  const rows = await db
    .updateTable('endpoints')
    .set({ deleted_at: sql<Date>`coalesce(deleted_at, now())`, enabled: false })
    .where('app_id', '=', appId)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes endpoints, with their queues. Their deliveries are already deleted. */
export const deleteEndpoints = (db: Db, ids: string[]): Promise<unknown> =>
  db
    .deleteFrom('endpoints')
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .execute()

export async function getSealedSecret(
  db: Db,
  { appId, webhookId }: { appId: string; webhookId: string },
): Promise<{ url: string; sealedSecret: string }> {
  const row = await db
    .selectFrom('endpoints')
    .select(['url', 'sealed_secret as sealedSecret'])
    .where('id', '=', webhookId)
    .where('app_id', '=', appId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** A response that takes longer than this counts as slow. */
const slowMs = 2_000

/** True when the last attempt at the endpoint `e` failed or was slow: the next one may take the full ten seconds again. */
export const failsOrIsSlow = sql<boolean>`(e.last_error is not null or coalesce(e.last_status >= 300, false) or coalesce(e.last_latency_ms > ${slowMs}, false))`

/** Locks endpoints in the order of their ids, and gives their failures and whether they are switched on. */
export async function lockStandings(trx: Db, ids: string[]): Promise<Map<string, Standing>> {
  const { rows } = await sql<{ id: string; failures: number; isEnabled: boolean }>`
    select id, consecutive_failures as failures, enabled as "isEnabled" from endpoints where id = any(${ids}::text[])
    order by id for no key update`.execute(trx)
  return new Map(rows.map(({ id, failures, isEnabled }) => [id, { failures, isEnabled, isSwitchedOff: false, last: null }]))
}

/** Writes the standings of endpoints after their last attempts. The caller has locked the endpoints. */
export const writeStandings = (trx: Db, standings: (readonly [id: string, standing: Standing])[]): Promise<unknown> =>
  sql`
    update endpoints e set
      last_delivery_at = now(), last_status = given.status, last_error = given.error, last_latency_ms = given.latency_ms,
      consecutive_failures = given.failures,
      enabled = e.enabled and not given.off,
      disabled_reason = case when given.off then 'consecutive_failures' else e.disabled_reason end,
      disabled_at = case when given.off then now() else e.disabled_at end
    from unnest(
      ${standings.map(([id]) => id)}::text[], ${standings.map(([, { last }]) => last?.status ?? null)}::int[],
      ${standings.map(([, { last }]) => last?.error ?? null)}::text[], ${standings.map(([, { last }]) => last?.latencyMs ?? null)}::int[],
      ${standings.map(([, { failures }]) => failures)}::int[], ${standings.map(([, { isSwitchedOff }]) => isSwitchedOff)}::boolean[]
    ) as given(id, status, error, latency_ms, failures, off)
    where e.id = any(${standings.map(([id]) => id)}::text[]) and e.id = given.id`.execute(trx)
