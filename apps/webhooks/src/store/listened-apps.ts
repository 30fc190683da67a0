import { watchSeconds } from '@herald/contracts/calls/webhooks'
import type { Listener } from '@herald/contracts/event'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

/**
 * Notes that tracker and audience must be told which events the endpoints of an app ask for. Called in the transaction that changes the endpoints or
 * begins a watch.
 */
export const noteListeners = (db: Db, appId: string): Promise<unknown> =>
  sql`insert into listened_apps (app_id) values (${appId}) on conflict (app_id) do update set due_at = now()`.execute(db)

/** Begins or renews the watch of an app. Says whether tracker and audience already know of the watch. */
export async function noteWatch(db: Db, appId: string): Promise<boolean> {
  const { rows } = await sql<{ isTold: boolean }>`
    insert into watched_apps as known (app_id, until) values (${appId}, now() + make_interval(secs => ${watchSeconds}))
    on conflict (app_id) do update set until = excluded.until, is_told = known.is_told and known.until > now()
    returning is_told as "isTold"`.execute(db)
  return rows[0]?.isTold === true
}

/** What tracker and audience are told of an app: the types of events that its endpoints ask for. `isWatched`: a gateway watches all its events. */
export type Telling = Listener & { isWatched: boolean }

/**
 * Numbers the next message about each of these apps, and gives the messages. Runs in a transaction. An ended watch is marked as not told, so that a
 * new one is told.
 */
export async function renewListeners(trx: Db, appIds: string[]): Promise<Telling[]> {
  await sql`
    with over as (
      select app_id from watched_apps where app_id = any(${appIds}::text[]) and until <= now() order by app_id for no key update
    )
    update watched_apps w set is_told = false from over where w.app_id = over.app_id`.execute(trx)
  const { rows: renewed } = await sql<{ app_id: string; version: number }>`
    with locked as (
      select app_id from listened_apps where app_id = any(${appIds}::text[]) order by app_id for no key update
    )
    update listened_apps l set version = l.version + 1, due_at = now() + interval '5 seconds' from locked where l.app_id = locked.app_id
    returning l.app_id, l.version`.execute(trx)
  // Endpoints are read after the rows are locked, so a message with a higher number knows every change that one with a lower number knows.
  const { rows: heard } = await sql<{ app_id: string; types: Listener['eventTypes']; is_watched: boolean }>`
    select app_id, array_agg(distinct type) as types, bool_or(is_watch) as is_watched from (
      select app_id, unnest(event_types) as type, false as is_watch from endpoints
      where app_id = any(${appIds}::text[]) and enabled and deleted_at is null
      union all select app_id, '*', true from watched_apps where app_id = any(${appIds}::text[]) and until > now()
    ) as asked group by app_id`.execute(trx)
  const heardOf = new Map(heard.map(({ app_id, ...asked }) => [app_id, asked]))
  return renewed.map(({ app_id, version }) => {
    const { types = [], is_watched: isWatched = false } = heardOf.get(app_id) ?? {}
    return { appId: app_id, version, eventTypes: types, isWatched }
  })
}

/**
 * Notes that tracker and audience have both answered. Both are told again after ten minutes, because a database may have been restored from a backup.
 * Ended watches whose end both know are deleted.
 */
export const markListenersTold = (db: Db, told: Telling[]): Promise<unknown> =>
  sql`
    with given as (
      select * from unnest(
        ${told.map(({ appId }) => appId)}::text[], ${told.map(({ version }) => version)}::bigint[], ${told.map(({ isWatched }) => isWatched)}::bool[]
      ) as given(app_id, version, is_watched)
    ), watched as (
      update watched_apps set is_told = true where app_id = any(array(select app_id from given where is_watched))
    ), over as (
      delete from watched_apps where app_id = any(array(select app_id from given where not is_watched)) and until <= now()
    )
    update listened_apps l set due_at = now() + interval '10 minutes' from given
    where l.app_id = any(array(select app_id from given)) and l.app_id = given.app_id and l.version = given.version`.execute(db)

/**
 * Finds at most `limit` apps of which to tell tracker and audience: their endpoints have changed, both were told ten minutes ago, one did not answer
 * 5 s ago, or their watch has ended. Leaves out locked rows.
 */
export async function findDueListeners(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ app_id: string }>`
    with due as (
      select app_id from listened_apps where due_at <= now() order by due_at limit ${limit} for no key update skip locked
    ), over as (
      select app_id from watched_apps where until <= now() and is_told order by until limit ${limit} for no key update skip locked
    )
    select app_id from due union select app_id from over limit ${limit}`.execute(db)
  return rows.map(({ app_id }) => app_id)
}

/** Makes apps due again in 5 s. Apps whose rows are locked stay as they are. */
export const putOffListeners = (db: Db, appIds: string[]): Promise<unknown> =>
  sql`
    with watched as (
      update watched_apps set until = now() + interval '5 seconds' where app_id = any(array(
        select app_id from watched_apps where app_id = any(${appIds}::text[]) and until <= now() for no key update skip locked
      ))
    )
    update listened_apps set due_at = now() + interval '5 seconds' where app_id = any(array(
      select app_id from listened_apps where app_id = any(${appIds}::text[]) for no key update skip locked
    ))`.execute(db)

export async function deleteListenersOf(db: Db, appId: string): Promise<void> {
  await db.deleteFrom('listened_apps').where('app_id', '=', appId).execute()
  await db.deleteFrom('watched_apps').where('app_id', '=', appId).execute()
}
