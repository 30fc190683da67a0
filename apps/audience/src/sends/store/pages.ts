import { pageSize } from '@herald/contracts/batch'
import type { FrozenCategory } from '@herald/contracts/category'
import { reachesOptedOut, type LiveActivity } from '@herald/contracts/live-activity'
import type { Platform } from '@herald/contracts/platform'
import type { Segment } from '@herald/contracts/segment'
import { sql, type RawBuilder } from 'kysely'
import { userKeyOf, userKeyColumn } from '../../people/store/users.ts'
import { asksAboutUser, devicesMeant, mayBeQueued } from '../../segments/store/segment-sql.ts'
import { holders, holds } from '../../store/activities.ts'
import type { Db } from '../../store/tables.ts'
import type { PageDevice } from '../core/queueing.ts'
import type { FanOut, Bounds } from './fan-outs.ts'

/** The target of a send, with its segment compiled. */
export type Selection =
  | { kind: 'externalIds'; externalIds: string[] }
  | { kind: 'userIds'; userIds: string[] }
  | { kind: 'subscriptionIds'; subscriptionIds: string[] }
  | { kind: 'segment'; segment: Segment }
  | { kind: 'all' }
/** The devices to which a campaign was sent. The tracker lists them, page by page. */
export type Reached = { kind: 'reached'; of: string; skipOpened: boolean }

/** Reads the bounds of a send that begins now. */
export async function fixBounds(db: Db, appId: string): Promise<Bounds> {
  const { rows } = await sql<Bounds>`
    select now() as "startedAt", now()::text as "exactStart",
      coalesce((select max(id) from subscriptions where app_id = ${appId}), '') as "boundId"`.execute(db)
  const [bounds] = rows
  if (!bounds) throw new Error('a select of one row answered none')
  return bounds
}

/** Says which page of a send is to be scanned, and how. */
export type Scan = Pick<FanOut, 'campaignId' | 'appId' | 'cursor' | 'boundId' | 'startedAt'> & {
  /** The start of the send with microseconds. Undefined when the fan-out has a row: then the start is read from the row. */
  exactStart?: string
  /** Finds only devices of users in these time zones; null for all time zones. */
  zones: readonly string[] | null
  /** Whether devices that an earlier wave has claimed are left out. */
  claims: boolean
  /** Whether the page also gives the time zone of each user. */
  withZones: boolean
  /** The category of which the page says who is outside; null for none. */
  category?: FrozenCategory | null
  /** Whether opted-out devices are queued too. */
  inbox?: boolean | undefined
  /** The Live Activity of the send, which goes only to devices that have a token for it. */
  activity?: LiveActivity | undefined
}

/**
 * Says how many devices a fan-out has scanned, and how many devices or users the send names (null for a segment or all). Null without a row, after
 * the last page, and for waves, which scan all devices each.
 */
export async function findScan(
  db: Db,
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<{ scanned: number; listed: number | null } | null> {
  const { rows } = await sql<{ scanned: number; listed: number | null }>`
    select (page - 1) * ${pageSize} as scanned,
      case when target ->> 'kind' not in ('all', 'segment') then jsonb_array_length(target -> (target ->> 'kind')) end as listed
    from fan_outs where campaign_id = ${campaignId} and app_id = ${appId} and state in ('running', 'waiting') and waves is null`.execute(db)
  return rows[0] ?? null
}

export type Page = { devices: PageDevice[]; lastId: string; isLast: boolean }

/**
 * Scans the next 5,000 devices, and gives those that the target means, that are reachable and that existed when the send began. It counts *scanned*
 * devices, so a page for few costs no more than one for all.
 */
export async function scanPage(db: Db, scan: Scan, selection: Selection): Promise<Page> {
  const { zones, claims, withZones, category = null, inbox = false, activity } = scan
  const asksForUser = zones !== null || withZones || (selection.kind === 'segment' && asksAboutUser(selection.segment))
  const start = scan.exactStart
    ? sql`${scan.exactStart}::timestamptz`
    : sql`(select started_at from fan_outs where campaign_id = ${scan.campaignId})`
  const meant = devicesMeant(selection.kind === 'segment' ? selection.segment : { is: 'everyone' }, scan.startedAt, {
    columns: sql`s.id, s.user_id, s.platform, ${withZones ? sql`u.timezone` : sql`null`} as zone${inbox ? sql`, s.opted_in` : sql``}`,
    from: sql`page s ${asksForUser ? sql`join users u on u.id = s.user_id` : sql``}`,
    where: sql`${mayBeQueued(inbox || reachesOptedOut(activity))}
      and s.created_at <= ${start}
      and ${zones ? sql`coalesce(u.timezone, '') = any(${zones}::text[])` : sql`true`}
      and ${
        claims
          ? sql`not exists (select from wave_claims c where c.campaign_id = ${scan.campaignId} and c.subscription_id = s.id)`
          : sql`true`
      }`,
  })
  const { rows } = await sql<{
    platform: Platform | null
    subscriptionIds: string | null
    userIds: string | null
    zones: (string | null)[] | null
    exceptions?: string | null
    optedOut?: string | null
    scanned: number
    lastId: string | null
  }>`
    with page as materialized (
      ${source(scan, selection)}
    ), meant as (
      select f.platform, string_agg(f.id, '' order by f.id) as subscription_ids, string_agg(f.user_id, '' order by f.id) as user_ids,
        ${withZones ? sql`json_agg(f.zone order by f.id)` : sql`null::json`} as zones
        ${inbox ? sql`, string_agg(f.id, '') filter (where not f.opted_in) as opted_out` : sql``}
      from ${meant}
      group by f.platform
    )
    select platform, subscription_ids as "subscriptionIds", user_ids as "userIds", zones${category ? sql`, exceptions` : sql``}${inbox ? sql`, opted_out as "optedOut"` : sql``}, scanned, last_id as "lastId"
    from (select count(*) as scanned, max(id) as last_id${category ? sql`, (${exceptionsTo(category)}) as exceptions` : sql``} from page) as edge left join meant on true`.execute(
    db,
  )

  const { scanned = 0, lastId = null, exceptions } = rows[0] ?? {}
  const isOutside = category && outsideBy(category, exceptions ?? '')
  return {
    devices: rows.flatMap((row) => {
      if (!row.platform) return []
      const devices = toDevices(row.platform, row.subscriptionIds ?? '', row.userIds ?? '', row.zones, isOutside)
      const optedOut = row.optedOut ? new Set(idsIn(row.optedOut)) : null
      return optedOut ? devices.map((device) => (optedOut.has(device.id) ? { ...device, isOptedOut: true } : device)) : devices
    }),
    lastId: lastId ?? scan.cursor,
    isLast: scanned < pageSize || (lastId ?? '') >= scan.boundId,
  }
}

/** Splits ids that come joined to one text, 24 characters for each: as a list, 5,000 ids take ten times as long to read. */
const toDevices = (
  platform: Platform,
  ids: string,
  userIds: string,
  zones: (string | null)[] | null,
  isOutside: ((userId: string) => boolean) | null,
): PageDevice[] =>
  Array.from({ length: ids.length / 24 }, (_, at) => {
    const id = ids.slice(at * 24, at * 24 + 24)
    const userId = userIds.slice(at * 24, at * 24 + 24)
    const zone = zones?.[at] ?? null
    return isOutside ? { id, userId, platform, zone, isOutside: isOutside(userId) } : { id, userId, platform, zone }
  })

/**
 * Selects the users of a page whose own choice differs from a category's default, joined to one text. One scan of the index of users who have chosen
 * (0201) costs a third of a join, which looks up each user.
 */
const exceptionsTo = ({ id, default: by }: FrozenCategory) => sql`
      select string_agg(u.id, '') from users u
      where u.id = any(array(select user_id from page)) and u.preferences is not null and u.preferences -> ${id} = ${sql.lit(by === 'out')}::text::jsonb`

const idsIn = (joined: string): string[] => Array.from({ length: joined.length / 24 }, (_, at) => joined.slice(at * 24, at * 24 + 24))

/** Gives the function that says whether a user is outside a category, by the ids of the users who have chosen otherwise than its default. */
function outsideBy({ default: by }: FrozenCategory, exceptions: string): (userId: string) => boolean {
  const known = new Set(idsIn(exceptions))
  return (userId) => known.has(userId) === (by === 'in')
}

/** The condition that a user with these own choices is outside a category. */
export const outsideOf = ({ id, default: by }: FrozenCategory, choices: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`not coalesce((${choices} -> ${id})::boolean, ${sql.lit(by === 'in')})`

const scannedColumns = sql`s.id, s.user_id, s.platform, s.opted_in, s.invalidated_at, s.created_at`
const segmentColumns = sql`${scannedColumns}, s.browser, s.standalone, s.app_version, s.sdk_version, s.os_version, s.device_model,
  s.session_count, s.last_session_at, s.last_active_at`

/**
 * Selects the devices that a page scans: the app's from the cursor on, or the listed ones, found by their index. (Without `materialized` and `|| ''`
 * the planner may read a million devices to find those.)
 */
function source({ appId, cursor, boundId, activity }: Scan, selection: Selection): RawBuilder<unknown> {
  if (activity && (selection.kind === 'all' || selection.kind === 'segment'))
    return sql`
      with holders as materialized (${holders(appId, activity, { cursor, boundId, most: pageSize })})
      select s.* from holders cross join lateral (
        select ${segmentColumns} from subscriptions s where s.id = holders.subscription_id offset 0
      ) as s`
  if (selection.kind === 'all' || selection.kind === 'segment')
    return sql`
        select ${selection.kind === 'all' ? scannedColumns : segmentColumns} from subscriptions s
        where s.app_id = ${appId} and s.id > ${cursor} and s.id <= ${boundId}
        order by s.id limit ${sql.lit(pageSize)}`
  return sql`
      with named as materialized (select ${scannedColumns} from subscriptions s where ${devicesNamed(appId, selection)} and s.app_id || '' = ${appId}
        ${activity ? sql`and ${holds(appId, activity, sql`s.id`)}` : sql``})
      select * from named where id > ${cursor} and id <= ${boundId} order by id limit ${sql.lit(pageSize)}`
}

export type Named = Exclude<Selection, { kind: 'all' | 'segment' }>

/** Gives the condition that the list names the device `s`. It does not check the app of the device. */
export function devicesNamed(appId: string, selection: Named): RawBuilder<unknown> {
  switch (selection.kind) {
    case 'subscriptionIds':
      return sql`s.id = any(${selection.subscriptionIds}::text[])`
    case 'userIds':
      return sql`s.user_id = any(${selection.userIds}::text[])`
    case 'externalIds':
      return sql`s.user_id in (select id from users where ${userKeyColumn} = any(${selection.externalIds.map((externalId) => userKeyOf({ appId, externalId }))}::text[]))`
  }
}
