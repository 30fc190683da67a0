import { pageSize } from '@herald/contracts/batch'
import type { Platform } from '@herald/contracts/platform'
import type { Segment } from '@herald/contracts/segment'
import { sql, type RawBuilder } from 'kysely'
import type { PageDevice } from '../core/queueing.ts'
import { asksAboutUser, devicesMeant, reachable } from '../../segments/store/segment-sql.ts'
import type { Db, FanOut } from '../../store/tables.ts'
import { keyOfPerson, personKey } from '../../people/store/users.ts'

/** Whom a fan-out scans, and which of them are meant. */
export type Selection =
  | { kind: 'externalIds'; externalIds: string[] }
  | { kind: 'userIds'; userIds: string[] }
  | { kind: 'subscriptionIds'; subscriptionIds: string[] }
  | { kind: 'segment'; segment: Segment }
  | { kind: 'all' }

/** Who is in a send: nobody with a greater id, or made later. `exactStart` is the database's time to the microsecond, which a Date loses. */
export type Bounds = { started_at: Date; exactStart: string; bound_id: string }

/** Fixes who is in a send of an app from now on. */
export async function fixBounds(db: Db, appId: string): Promise<Bounds> {
  const { rows } = await sql<Bounds>`
    select now() as started_at, now()::text as "exactStart",
      coalesce((select max(id) from subscriptions where app_id = ${appId}), '') as bound_id`.execute(db)
  const [bounds] = rows
  if (!bounds) throw new Error('a select of one row answered none')
  return bounds
}

/** What a page is scanned for. */
export type Scan = Pick<FanOut, 'campaign_id' | 'app_id' | 'cursor' | 'bound_id' | 'started_at'> & {
  /** Undefined: as it stands in the row. */
  exactStart?: string
  /** Only users of these zones; null: of any. */
  zones: readonly string[] | null
  /** Leave out whom an earlier wave has taken. */
  claims: boolean
  /** Each user's zone is wanted. */
  withZones: boolean
}

export type Page = { devices: PageDevice[]; lastId: string; isLast: boolean }

/**
 * The next 5,000 *scanned* devices of a fan-out after its cursor, whatever number of them is meant: a segment that matches few
 * of a million costs no more per page than one that matches all. Of these, who is reachable and was there at the start.
 */
export async function scanPage(db: Db, scan: Scan, selection: Selection): Promise<Page> {
  const { zones, claims, withZones } = scan
  const asksForUser = zones !== null || withZones || (selection.kind === 'segment' && asksAboutUser(selection.segment))
  const start = scan.exactStart
    ? sql`${scan.exactStart}::timestamptz`
    : sql`(select started_at from fan_outs where campaign_id = ${scan.campaign_id})`
  const meant = devicesMeant(selection.kind === 'segment' ? selection.segment : { is: 'everyone' }, scan.started_at, {
    columns: sql`s.id, s.user_id, s.platform, ${withZones ? sql`u.timezone` : sql`null`} as zone`,
    from: sql`page s ${asksForUser ? sql`join users u on u.id = s.user_id` : sql``}`,
    where: sql`${reachable}
      and s.created_at <= ${start}
      and ${zones ? sql`coalesce(u.timezone, '') = any(${zones}::text[])` : sql`true`}
      and ${
        claims
          ? sql`not exists (select from wave_claims c where c.campaign_id = ${scan.campaign_id} and c.subscription_id = s.id)`
          : sql`true`
      }`,
  })
  const { rows } = await sql<{
    platform: Platform | null
    subscriptionIds: string | null
    userIds: string | null
    zones: (string | null)[] | null
    scanned: number
    lastId: string | null
  }>`
    with page as materialized (
      ${source(scan, selection)}
    ), meant as (
      select f.platform, string_agg(f.id, '' order by f.id) as subscription_ids, string_agg(f.user_id, '' order by f.id) as user_ids,
        ${withZones ? sql`json_agg(f.zone order by f.id)` : sql`null::json`} as zones
      from ${meant}
      group by f.platform
    )
    select platform, subscription_ids as "subscriptionIds", user_ids as "userIds", zones, scanned, last_id as "lastId"
    from (select count(*) as scanned, max(id) as last_id from page) as edge left join meant on true`.execute(db)

  const { scanned = 0, lastId = null } = rows[0] ?? {}
  return {
    devices: rows.flatMap((row) => (row.platform ? toDevices(row.platform, row.subscriptionIds ?? '', row.userIds ?? '', row.zones) : [])),
    lastId: lastId ?? scan.cursor,
    isLast: scanned < pageSize || (lastId ?? '') >= scan.bound_id,
  }
}

/** Ids come as one text of 24 characters each: as lists, 5,000 of them take ten times as long to read. */
const toDevices = (platform: Platform, ids: string, userIds: string, zones: (string | null)[] | null): PageDevice[] =>
  Array.from({ length: ids.length / 24 }, (_, at) => ({
    id: ids.slice(at * 24, at * 24 + 24),
    userId: userIds.slice(at * 24, at * 24 + 24),
    platform,
    zone: zones?.[at] ?? null,
  }))

const scannedColumns = sql`s.id, s.user_id, s.platform, s.opted_in, s.invalidated_at, s.created_at`
const segmentColumns = sql`${scannedColumns}, s.browser, s.standalone, s.app_version, s.sdk_version, s.os_version, s.device_model,
  s.session_count, s.last_session_at, s.last_active_at`

/**
 * A page by the index that fits. Everyone and segments walk the app's devices from the cursor. Lists of ids are found by their
 * own index first (`materialized`, and the app hidden by `|| ''`: else the planner may walk a million devices to find the named ones).
 */
function source({ app_id, cursor, bound_id }: Scan, selection: Selection): RawBuilder<unknown> {
  if (selection.kind === 'all' || selection.kind === 'segment')
    return sql`
        select ${selection.kind === 'all' ? scannedColumns : segmentColumns} from subscriptions s
        where s.app_id = ${app_id} and s.id > ${cursor} and s.id <= ${bound_id}
        order by s.id limit ${sql.lit(pageSize)}`
  return sql`
      with named as materialized (select ${scannedColumns} from subscriptions s where ${devicesNamed(app_id, selection)} and s.app_id || '' = ${app_id})
      select * from named where id > ${cursor} and id <= ${bound_id} order by id limit ${sql.lit(pageSize)}`
}

/** A target that lists those whom it means. */
export type Named = Exclude<Selection, { kind: 'all' | 'segment' }>

/** Whether a device `s` is one that a list names; of any app that has the ids. */
export function devicesNamed(appId: string, selection: Named): RawBuilder<unknown> {
  switch (selection.kind) {
    case 'subscriptionIds':
      return sql`s.id = any(${selection.subscriptionIds}::text[])`
    case 'userIds':
      return sql`s.user_id = any(${selection.userIds}::text[])`
    case 'externalIds':
      return sql`s.user_id in (select id from users where ${personKey} = any(${selection.externalIds.map((externalId) => keyOfPerson({ appId, externalId }))}::text[]))`
  }
}
