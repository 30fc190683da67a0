import type { OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { sql } from 'kysely'
import type { PushPlace } from '../core/page-cursor.ts'
import type { Slots } from '../core/slots.ts'
import { idBytes } from './ledger.ts'
import type { Db } from './tables.ts'

/** Which pushes are searched for. `after`: the place after which the page begins. */
export type PushFilter = {
  appId: string
  campaignId?: string | undefined
  userId?: string | undefined
  subscriptionId?: string | undefined
  outcome?: OutcomeKind | undefined
  code?: string | undefined
  platform?: Platform | undefined
  /** Pushes that ended at `from` or later, and before `to`, as ISO times. */
  from?: string | undefined
  to?: string | undefined
  after?: PushPlace | undefined
  /** Only pushes of sends that people find in their inbox. */
  inbox?: true
  limit: number
  retentionDays: number
}

/** A row of the ledger that may hold wanted pushes. `devices` is read only when the filter names a device, `users` only when it names a user. */
export type FoundRow = Slots & {
  day: string
  campaignId: string
  no: number
  platform: Platform
  devices: Buffer | null
  users: Buffer | null
}

const only = (condition: unknown, fragment: ReturnType<typeof sql>) => (condition === undefined ? sql`` : fragment)

const columns = ({ subscriptionId, userId }: PushFilter) => sql`
  l.day, encode(l.campaign_id, 'hex') as "campaignId", l.batch_no as no, l.platform, l.place, l.size, l.slots, l.ends, l.sent, l.failed, l.skipped,
  ${subscriptionId === undefined ? sql`null::bytea` : sql`l.devices`} as devices, ${userId === undefined ? sql`null::bytea` : sql`l.users`} as users`

/**
 * True when a row may hold wanted pushes, by its platform, sums and the text of its ends. Another field in the text may look like the code. When
 * pushes ended is known only after the ends are parsed.
 */
const rowMayHoldWanted = ({ outcome, code, platform }: PushFilter) => sql`
  ${outcome === undefined ? sql`l.sent + l.failed + l.skipped > 0` : sql`${sql.ref(`l.${outcome}`)} > 0`}
  ${only(platform, sql`and l.platform = ${platform}`)}
  ${only(code, sql`and position(${JSON.stringify(code ?? '')} in l.ends) > 0`)}`

/** Leaves out rows before the place where this page begins. */
const isLeft = (after: PushPlace | undefined) =>
  only(
    after,
    sql`and l.campaign_id <= ${idBytes(after?.campaignId ?? '')}
      and (l.campaign_id, l.batch_no, l.place) < (${idBytes(after?.campaignId ?? '')}, ${after?.no ?? 0}::int, ${after?.place ?? 0}::smallint)`,
  )

/**
 * Finds at most `most` pushes to a device or a user in batches of at most 16, which have a row per push, newest campaign first. By index, it costs
 * only this device's or user's rows.
 */
export async function findSingles(db: Db, filter: PushFilter, most: number): Promise<FoundRow[]> {
  const { appId, campaignId, subscriptionId, userId, after, inbox, retentionDays } = filter
  const { rows } = await sql<FoundRow>`
    select ${columns(filter)} from ledger_batches l
    where l.day >= (now() at time zone 'utc')::date - ${retentionDays}::int and l.first_id is null and l.app_id = ${idBytes(appId)}
      ${only(subscriptionId, sql`and l.devices = ${idBytes(subscriptionId ?? '')}`)} ${only(userId, sql`and l.users = ${idBytes(userId ?? '')}`)}
      ${only(campaignId, sql`and l.campaign_id = ${idBytes(campaignId ?? '')}`)}
      ${only(inbox, sql`and exists (select from counters c where c.campaign_id = encode(l.campaign_id, 'hex') and c.inbox)`)}
      ${isLeft(after)} and ${rowMayHoldWanted(filter)}
    order by l.campaign_id desc, l.batch_no desc, l.place desc
    limit ${most}`.execute(db)
  return rows
}

/**
 * A campaign to be searched. `pushes`: how many of its pushes may be wanted at most; 0 when the ledger no longer keeps it or none can have ended in
 * the wanted time.
 */
export type CampaignToRead = { campaignId: string; day: string; pushes: number }

/** Finds the next campaigns of an app, newest first; with `rangesOnly` only those that have batches of more than 16 pushes. */
export async function findCampaignsToRead(
  db: Db,
  filter: PushFilter,
  { limit, rangesOnly }: { limit: number; rangesOnly: boolean },
): Promise<CampaignToRead[]> {
  const { appId, campaignId, after, inbox } = filter
  // The cursor lies within a campaign, so this page begins with the remaining pushes of that campaign.
  const isPartLeft = after !== undefined && after.no > 0
  // The condition is a range of the index by app: with `app_id = …` the planner may choose the index of all campaigns and read every newer campaign
  // of other apps.
  const { rows } = await sql<CampaignToRead>`
    select campaign_id as "campaignId", day,
      case when ${campaignMayHoldWanted(filter)} then ${mostWanted(filter)} else 0 end as pushes
    from counters
    where ${rangesOnly ? sql`has_ranges and` : sql``} ${only(inbox, sql`inbox and`)} ${
      campaignId === undefined
        ? sql`app_id >= ${appId} and (app_id, campaign_id) ${isPartLeft ? sql`<=` : sql`<`} (${appId}, ${after?.campaignId ?? pastEveryId})`
        : sql`app_id = ${appId} and campaign_id = ${campaignId}`
    }
    order by app_id desc, campaign_id desc
    limit ${limit}`.execute(db)
  return rows
}

const pastEveryId = 'g'

/** True when the ledger keeps a campaign and its pushes may have ended in the wanted time: between its first report and its settlement. */
const campaignMayHoldWanted = ({ retentionDays, from, to }: PushFilter) => sql`
  day >= (now() at time zone 'utc')::date - ${retentionDays}::int
    ${only(to, sql`and created_at < ${to}::timestamptz`)} ${only(from, sql`and coalesce(settled_at, now()) >= ${from}::timestamptz`)}`

/** Gives how many pushes of a campaign may be wanted at most, by its counters. */
function mostWanted({ outcome, code, platform }: PushFilter) {
  const ended = outcome === undefined ? (code === undefined ? sql`sent + failed + skipped` : sql`failed + skipped`) : sql.ref(outcome)
  return platform === undefined ? ended : sql`least(${ended}, ${sql.ref(`settled_${platform}`)})`
}

/**
 * Examines at most `most` rows of these campaigns in order, after a place, by one look-up a campaign. Gives at most `limit` + 1 rows that may hold
 * wanted pushes, how many it examined, and the last one's place.
 */
export async function findRowsOfCampaigns(
  db: Db,
  campaigns: CampaignToRead[],
  filter: PushFilter,
  { most, rangesOnly }: { most: number; rangesOnly: boolean },
): Promise<{ found: FoundRow[]; examined: number; examinedTo: PushPlace | undefined }> {
  const { after, limit, subscriptionId, userId } = filter
  const days = campaigns.map(({ day }) => day)
  const device = subscriptionId === undefined ? undefined : idBytes(subscriptionId)
  const user = userId === undefined ? undefined : idBytes(userId)
  // The days are named twice: the list lets the planner skip the other partitions, which cost ~0.1 ms each.
  const { rows } = await sql<FoundRow & { isFound: boolean; examined: number }>`
    with examined as materialized (
      select l.day, l.campaign_id, l.batch_no, l.place, l.is_wanted
      from unnest(${days}::date[], ${campaigns.map(({ campaignId }) => idBytes(campaignId))}::bytea[]) as campaign(day, campaign_id)
      cross join lateral (
        select l.day, l.campaign_id, l.batch_no, l.place,
          (${rowMayHoldWanted(filter)} ${only(device, sql`and position(${device} in l.devices) > 0`)} ${only(user, sql`and position(${user} in l.users) > 0`)}) as is_wanted
        from ledger_batches l
        where l.day = campaign.day and l.day = any(${[...new Set(days)]}::date[]) and l.campaign_id = campaign.campaign_id
          ${rangesOnly ? sql`and l.first_id is not null` : sql``}
          ${only(device, sql`and l.last_id >= ${device} and l.first_id <= ${device}`)}
          ${isLeft(after)}
        ${device ? sql`` : sql`order by l.batch_no desc, l.place desc limit ${most}`}
      ) l
      order by l.campaign_id desc, l.batch_no desc, l.place desc
      limit ${most}
    ), found as (
      select *, true as is_found from (
        select * from examined where is_wanted order by campaign_id desc, batch_no desc, place desc limit ${limit + 1}
      ) wanted
      union all
      select *, false from (select * from examined order by campaign_id, batch_no, place limit 1) last
    )
    select ${columns(filter)}, found.is_found as "isFound", (select count(*)::int from examined) as examined
    from found join lateral (
      select * from ledger_batches l
      where l.day = found.day and l.day = any(${[...new Set(days)]}::date[]) and l.campaign_id = found.campaign_id
        and l.batch_no = found.batch_no and l.place = found.place
      offset 0
    ) l on true
    order by found.is_found desc, l.campaign_id desc, l.batch_no desc, l.place desc`.execute(db)
  const last = rows.at(-1)
  const examinedTo = last && { campaignId: last.campaignId, no: last.no, place: last.place }
  return { found: rows.slice(0, -1), examined: last?.examined ?? 0, examinedTo }
}

/** Finds device and user of these pushes, in the order given. Of a row of many pushes only the 12 bytes of each id are read. */
export async function findNames(
  db: Db,
  pushes: (PushPlace & { day: string; rowPlace: number })[],
): Promise<{ subscriptionId: string; userId: string }[]> {
  if (pushes.length === 0) return []
  const days = pushes.map(({ day }) => day)
  const { rows } = await sql<{ subscriptionId: string; userId: string }>`
    select encode(substring(l.devices from 12 * push.index + 1 for 12), 'hex') as "subscriptionId",
      encode(substring(l.users from 12 * push.index + 1 for 12), 'hex') as "userId"
    from unnest(
      ${days}::date[], ${pushes.map(({ campaignId }) => idBytes(campaignId))}::bytea[], ${pushes.map(({ no }) => no)}::int[],
      ${pushes.map(({ rowPlace }) => rowPlace)}::smallint[], ${pushes.map(({ place, rowPlace }) => place - rowPlace)}::int[]
    ) with ordinality as push(day, campaign_id, batch_no, place, index, ordinal)
    cross join lateral (
      select devices, users from ledger_batches l
      where l.day = push.day and l.day = any(${[...new Set(days)]}::date[]) and l.campaign_id = push.campaign_id
        and l.batch_no = push.batch_no and l.place = push.place
      offset 0
    ) l
    order by push.ordinal`.execute(db)
  return rows
}
