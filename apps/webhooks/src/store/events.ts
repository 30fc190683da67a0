import { sql } from 'kysely'
import type { Mark } from '../core/reading.ts'
import type { Db } from './tables.ts'

/** Notes that the events of announcements are stored, and gives the announcements for which this was not noted before. */
export async function insertCollected(db: Db, announcementIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ announcement_id: string }>`
    insert into collected (announcement_id) select unnest(${announcementIds.toSorted()}::text[])
    on conflict do nothing returning announcement_id`.execute(db)
  return new Set(rows.map((row) => row.announcement_id))
}

/** Deletes the notes about stored announcements after 3 days, when an announcement is no longer repeated, at most `limit`, and gives how many. */
export async function deleteOldMarks(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from collected where announcement_id in (
      select announcement_id from collected where at < now() - interval '3 days' order by at limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export type NewEvent = { appId: string; type: string; place: number; userId: string | null; event: string }

/** Inserts events into the event logs of their apps. The caller has locked the event logs and chosen the places. */
export const insertEvents = (trx: Db, events: NewEvent[]): Promise<unknown> =>
  sql`
    insert into events (app_id, type, place, user_id, event)
    select * from unnest(
      ${events.map(({ appId }) => appId)}::text[], ${events.map(({ type }) => type)}::text[], ${events.map(({ place }) => place)}::bigint[],
      ${events.map(({ userId }) => userId)}::text[], ${events.map(({ event }) => event)}::text[]
    )`.execute(trx)

/** A part of an event log: the events of these types after the place `after` and up to the place `until`. */
export type Stretch = { appId: string; types: readonly string[]; after: number; until: number }

export type LogEvent = { place: number; userId: string | null; event: string; bytes: number; ageMs: number }

/** Finds the first events of parts of event logs, at most `limit` of each part, in the order of their places. */
export async function findEvents(db: Db, stretches: (Stretch & { limit: number })[]): Promise<LogEvent[][]> {
  if (stretches.length === 0) return []
  const probes = stretches.flatMap(({ types, ...stretch }, no) => types.map((type) => ({ no, type, ...stretch })))
  const { rows } = await sql<LogEvent & { no: number }>`
    select no, place, user_id as "userId", event, octet_length(event) as bytes, extract(epoch from now() - buffered_at)::float8 * 1000 as "ageMs"
    from (
      select g.no, g.most, w.*, row_number() over (partition by g.no order by w.place) as nth
      from unnest(
        ${probes.map(({ no }) => no)}::int[], ${probes.map(({ appId }) => appId)}::text[], ${probes.map(({ type }) => type)}::text[],
        ${probes.map(({ after }) => after)}::bigint[], ${probes.map(({ until }) => until)}::bigint[], ${probes.map(({ limit }) => limit)}::int[]
      ) as g(no, app_id, type, after, until, most) cross join lateral (
        select place, user_id, event, buffered_at from events
        where app_id = g.app_id and type = g.type and place > g.after and place <= g.until order by place limit g.most
      ) w
    ) found where nth <= most order by no, place`.execute(db)
  const found: LogEvent[][] = stretches.map(() => [])
  for (const { no, ...event } of rows) found[no]?.push(event)
  return found
}

/** At most this many events of an endpoint are dropped at once. The next sweep drops more. */
const mostPassedOver = 20_000

/**
 * Finds how far an endpoint's reading must move to drop the oldest events of a part of a log: at least `events` events and `bytes` bytes, but at most
 * 20,000 events.
 */
export async function passOver(
  trx: Db,
  { appId, types, after, until }: Stretch,
  { events, bytes }: { events: number; bytes: number },
): Promise<Mark | undefined> {
  const { rows } = await sql<Mark>`
    select place, nth::int as count, sum::float8 as bytes from (
      select place, nth, sum, lag(sum, 1, 0) over (order by place) as before from (
        select place, row_number() over (order by place) as nth, sum(bytes) over (order by place) as sum from (
          select w.place, w.bytes from unnest(${types}::text[]) as t(type) cross join lateral (
            select place, octet_length(event) as bytes from events
            where app_id = ${appId} and type = t.type and place > ${after}::bigint and place <= ${until}::bigint
            order by place limit ${bytes > 0 ? mostPassedOver : Math.min(events, mostPassedOver)}
          ) w order by w.place limit ${mostPassedOver}
        ) oldest
      ) summed
    ) counted where nth <= ${events} or before < ${bytes}::bigint order by place desc limit 1`.execute(trx)
  return rows[0]
}

/** Deletes at most `limit` events of each range, and gives the places up to which they are deleted. The caller has locked the event logs. */
export async function deleteEvents(
  trx: Db,
  ranges: { appId: string; type: string; after: number; to: number }[],
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ no: number; count: number; last: number }>`
    with old as (
      select g.no, w.place, w.row from unnest(
        ${ranges.map((_range, no) => no)}::int[], ${ranges.map(({ appId }) => appId)}::text[], ${ranges.map(({ type }) => type)}::text[],
        ${ranges.map(({ after }) => after)}::bigint[], ${ranges.map(({ to }) => to)}::bigint[]
      ) as g(no, app_id, type, after, until) cross join lateral (
        select place, ctid as row from events
        where app_id = g.app_id and type = g.type and place > g.after and place <= g.until order by place limit ${limit}
      ) w
    ), gone as (
      delete from events where ctid = any(array(select row from old))
    )
    select no, count(*)::int as count, max(place) as last from old group by no`.execute(trx)
  const lastOf = new Map(rows.filter(({ count }) => count === limit).map(({ no, last }) => [no, last]))
  return ranges.map(({ to }, no) => lastOf.get(no) ?? to)
}

/** Deletes events of an app, also those that endpoints have not read, at most `limit`, and gives how many it deleted. */
export async function deleteEventsOfApp(trx: Db, appId: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from events where ctid = any(array(select ctid from events where app_id = ${appId} limit ${limit}))`.execute(trx)
  return Number(numAffectedRows ?? 0)
}
