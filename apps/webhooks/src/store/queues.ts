import { sql } from 'kysely'
import { mostPending, mostPendingWhileFailing, readyAhead } from '../core/batch.ts'
import type { Reading } from '../core/reading.ts'
import { failsOrIsSlow } from './endpoints.ts'
import type { Db } from './tables.ts'

/** An endpoint that is not deleted, with what it still has to read of its app's event log. */
export type Queue = { endpointId: string; appId: string; eventTypes: string[]; isOpen: boolean; readings: Reading[]; bodyBytes: number }

/** Locks the queues of these apps, in the order of their ids, and gives them. The caller has locked the event logs. */
export async function lockQueues(trx: Db, appIds: string[]): Promise<Queue[]> {
  const { rows } = await sql<Queue>`
    select q.endpoint_id as "endpointId", e.app_id as "appId", e.event_types as "eventTypes", e.enabled as "isOpen", q.readings,
      q.body_bytes as "bodyBytes"
    from endpoints e join queues q on q.endpoint_id = e.id
    where e.app_id = any(${appIds}::text[]) and e.deleted_at is null
    order by q.endpoint_id for no key update of q`.execute(trx)
  return rows
}

/**
 * An endpoint that is switched on. `room` is how many further deliveries may be made for it now (`readyAhead` and `mostPending` of core/batch.ts).
 */
export type Reader = { endpointId: string; appId: string; readings: Reading[]; room: number }

/** Finds the endpoints of these apps that are switched on. */
export async function findReaders(db: Db, appIds: string[]): Promise<Reader[]> {
  const { rows } = await sql<Reader>`
    select e.id as "endpointId", e.app_id as "appId", q.readings, greatest(0, least(
      ${readyAhead} - (select count(*) from (select 1 from deliveries where endpoint_id = e.id and due_at <= now() limit ${readyAhead}) as ready),
      case when ${failsOrIsSlow}
        then ${mostPendingWhileFailing} - (select count(*) from (select 1 from deliveries where endpoint_id = e.id and due_at is not null limit ${mostPendingWhileFailing}) as pending)
        else ${mostPending} - (select count(*) from (select 1 from deliveries where endpoint_id = e.id and due_at is not null limit ${mostPending}) as pending)
      end))::int as room
    from endpoints e join queues q on q.endpoint_id = e.id
    where e.app_id = any(${appIds}::text[]) and e.deleted_at is null and e.enabled`.execute(db)
  return rows
}

export type QueueChange = { endpointId: string; readings: Reading[]; dropped?: number; addedBytes?: number }

/** Writes what endpoints still have to read, and adds the number of dropped events and the bytes of new bodies. The caller has locked the queues. */
export const changeQueues = (trx: Db, changes: QueueChange[]): Promise<unknown> =>
  sql`
    update queues q set readings = given.readings, dropped = q.dropped + given.dropped, body_bytes = q.body_bytes + given.bytes
    from unnest(
      ${changes.map(({ endpointId }) => endpointId)}::text[], ${changes.map(({ readings }) => JSON.stringify(readings))}::jsonb[],
      ${changes.map(({ dropped }) => dropped ?? 0)}::bigint[], ${changes.map(({ addedBytes }) => addedBytes ?? 0)}::bigint[]
    ) as given(endpoint_id, readings, dropped, bytes)
    where q.endpoint_id = any(${changes.map(({ endpointId }) => endpointId)}::text[]) and q.endpoint_id = given.endpoint_id`.execute(trx)

/** Finds apps with an endpoint that has been switched off for more than `days` days and still has something to read. */
export async function findAppsLongOff(db: Db, { days, limit }: { days: number; limit: number }): Promise<string[]> {
  const { rows } = await sql<{ app_id: string }>`
    select distinct e.app_id from endpoints e join queues q on q.endpoint_id = e.id
    where not e.enabled and e.deleted_at is null and e.disabled_at < now() - make_interval(days => ${days}) and q.readings <> '[]'
    limit ${limit}`.execute(db)
  return rows.map(({ app_id }) => app_id)
}

/** Finds the endpoints of an app that have been switched off for more than `days` days. */
export async function findLongOff(db: Db, appId: string, days: number): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from endpoints
    where app_id = ${appId} and deleted_at is null and not enabled and disabled_at < now() - make_interval(days => ${days})`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
