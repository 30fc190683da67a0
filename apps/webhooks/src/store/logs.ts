import { sql } from 'kysely'
import type { Log, Totals } from '../core/reading.ts'
import type { Db } from './tables.ts'

type LogRow = { app_id: string; head: number; totals: Totals }
const byApp = (rows: LogRow[]): Map<string, Log> => new Map(rows.map(({ app_id, head, totals }) => [app_id, { head, totals }]))

/** Makes the event log of an app, for its first endpoint. */
export const insertLog = (db: Db, appId: string): Promise<unknown> =>
  sql`insert into logs (app_id) values (${appId}) on conflict do nothing`.execute(db)

export const deleteLog = (db: Db, appId: string): Promise<unknown> => db.deleteFrom('logs').where('app_id', '=', appId).execute()

/**
 * Locks these apps' event logs, in the order of ids. Until this transaction ends no other stores their events, changes how far an endpoint has
 * read, or erases a user. An app that never had an endpoint has no log.
 */
export async function lockLogs(trx: Db, appIds: string[]): Promise<Map<string, Log>> {
  const { rows } = await sql<LogRow>`
    select app_id, head, totals from logs where app_id = any(${appIds}::text[]) order by app_id for no key update`.execute(trx)
  return byApp(rows)
}

/** Makes an app's event log due now, because an endpoint was switched on, or no longer keeps events from being deleted. */
export const makeLogDue = (db: Db, appId: string): Promise<unknown> =>
  sql`update logs set due_at = now() where app_id = ${appId}`.execute(db)

/**
 * Takes at most `limit` due event logs, the longest due first, and those of `also` in which events wait. Unless the caller changes it, they are due
 * again after a second. The commit does not wait for the disk.
 */
export async function takeDueLogs(db: Db, { limit, also }: { limit: number; also: string[] }): Promise<Map<string, Log>> {
  const { rows } = await sql<LogRow>`
    with due as (
      select app_id from logs where due_at <= now() order by due_at limit ${limit} for no key update skip locked
    ), asked as (
      select app_id from logs where app_id = any(${also}::text[]) and due_at is not null for no key update skip locked
    )
    update logs l set due_at = now() + interval '1 second'
    from (select set_config('synchronous_commit', 'off', true)) as quick
    where l.app_id = any(array(select app_id from due union select app_id from asked))
    returning l.app_id, l.head, l.totals`.execute(db)
  return byApp(rows)
}

/** Makes an app's event log due in 5 s, because its batches cannot be made. A log that another transaction holds is due sooner. */
export const putOffLog = (db: Db, appId: string): Promise<unknown> =>
  sql`
    update logs set due_at = now() + interval '5 seconds'
    where app_id = any(array(select app_id from logs where app_id = ${appId} for no key update skip locked))`.execute(db)

/** Gives the milliseconds until the next event log is due; undefined when no event log has a due time. */
export async function findNextLog(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ inMs: number }>`
    select extract(epoch from due_at - now())::float8 * 1000 as "inMs" from logs where due_at is not null order by due_at limit 1`.execute(
    db,
  )
  return rows[0]?.inMs
}

/** Writes heads and totals of event logs, which are due in `dueInMs`, or sooner if they were due sooner. The caller has locked the logs. */
export const extendLogs = (trx: Db, logs: { appId: string; log: Log; dueInMs: number }[]): Promise<unknown> =>
  sql`
    update logs l set head = given.head, totals = given.totals,
      due_at = least(l.due_at, now() + given.due_in * interval '1 millisecond')
    from unnest(
      ${logs.map(({ appId }) => appId)}::text[], ${logs.map(({ log }) => log.head)}::bigint[],
      ${logs.map(({ log }) => JSON.stringify(log.totals))}::jsonb[], ${logs.map(({ dueInMs }) => dueInMs)}::float8[]
    ) as given(app_id, head, totals, due_in)
    where l.app_id = any(${logs.map(({ appId }) => appId)}::text[]) and l.app_id = given.app_id`.execute(trx)

/**
 * Writes up to where events are deleted, and when each log is due: in `dueInMs` or sooner if it was. Undefined: no due time, because no enabled
 * endpoint has anything to read. The caller has locked the logs.
 */
export const updateLogs = (trx: Db, logs: { appId: string; totals: Totals; dueInMs: number | undefined }[]): Promise<unknown> =>
  sql`
    update logs l set totals = given.totals,
      due_at = case when given.due_in is null then null else least(l.due_at, now() + given.due_in * interval '1 millisecond') end
    from unnest(
      ${logs.map(({ appId }) => appId)}::text[], ${logs.map(({ totals }) => JSON.stringify(totals))}::jsonb[],
      ${logs.map(({ dueInMs }) => dueInMs ?? null)}::float8[]
    ) as given(app_id, totals, due_in)
    where l.app_id = any(${logs.map(({ appId }) => appId)}::text[]) and l.app_id = given.app_id`.execute(trx)
