import type { Listener } from '@herald/contracts/event'
import { queueUnavailable } from '@herald/contracts/fault'
import { sql, type QueryExecutorProvider } from 'kysely'
import { isLockedOut } from './health.ts'

/** Says whether a webhook endpoint of an app, or an operator who watches its events, asks for events of this type. */
export type IsHeard = (appId: string, type: string) => boolean

/**
 * Finds which events of these apps have listeners. Call it before the transaction locks rows. A new listener is confirmed only after this transaction
 * has ended (migrations/0200), so an event that it does not announce is older than the listener.
 */
export async function findListeners(trx: QueryExecutorProvider, appIds: Iterable<string>): Promise<IsHeard> {
  const asked = [...new Set(appIds)]
  if (asked.length === 0) return () => false
  const { rows } = await sql<{ app_id: string; event_types: string[] }>`
    select app_id, event_types from listeners_of(${asked}::text[])`.execute(trx)
  const heard = new Map(rows.map(({ app_id, event_types }) => [app_id, new Set(event_types)]))
  return (appId, type) => {
    const types = heard.get(appId)
    return types !== undefined && (types.has('*') || types.has(type))
  }
}

/**
 * Stores the listeners that webhooks sends, and waits until every transaction has ended that may not have seen them. Must be called outside a
 * transaction: rows must be committed before the wait. Fault `queue_unavailable` after 2 s.
 */
export async function rememberListeners(db: QueryExecutorProvider, listeners: Listener[]): Promise<Record<string, never>> {
  const { rows } = await sql<{ app_id: string }>`
    insert into listeners as known (app_id, version, event_types)
    select told.app_id, told.version, array(select jsonb_array_elements_text(told.event_types))
    from unnest(
      ${listeners.map(({ appId }) => appId)}::text[],
      ${listeners.map(({ version }) => version)}::bigint[],
      ${listeners.map(({ eventTypes }) => JSON.stringify(eventTypes))}::jsonb[]
    ) as told(app_id, version, event_types)
    order by 1
    on conflict (app_id) do update set version = excluded.version, event_types = excluded.event_types
      where known.version < excluded.version
    returning app_id`.execute(db)
  if (rows.length === 0) return {}
  try {
    await sql`select wait_for_events_of(${rows.map(({ app_id }) => app_id)}::text[])`.execute(db)
  } catch (error) {
    if (isLockedOut(error)) throw queueUnavailable()
    throw error
  }
  return {}
}
