import type { OutcomeKind } from '@herald/contracts/outcome'
import { sql, type Selectable } from 'kysely'
import type { Db, Tables } from './tables.ts'

export type LedgerEntry = Omit<Selectable<Tables['ledger']>, 'settled_at'>

/** One push: its campaign and its device. The day follows from the campaign. */
export const pushKey = (campaignId: string, subscriptionId: string): string => campaignId + subscriptionId

/**
 * Writes outcomes, sorted by key and each key once, and answers the database's time and which were new: `'all'`, as
 * nearly always, or the keys. A push that has its outcome keeps it. New keys are only spelled out when some were not
 * new: answering 500 rows to count them costs ~1 µs per push. Nothing is new for a deleted app, nor for a
 * campaign whose day is past the retention and so has no partition: who tells such outcomes may go on.
 */
export async function insertOutcomes(
  db: Db,
  entries: LedgerEntry[],
  retentionDays: number,
): Promise<{ at: Date; inserted: 'all' | Set<string> }> {
  const column = <Name extends keyof LedgerEntry>(name: Name) => entries.map((entry) => entry[name])
  const { rows } = await sql<{ at: Date; keys: string[] | null; count: number }>`
    with inserted as (
      insert into ledger (day, campaign_id, subscription_id, app_id, user_id, platform, variant, outcome, code, provider_code, token_version, attempts)
      select * from unnest(
        ${column('day')}::date[], ${column('campaign_id')}::text[], ${column('subscription_id')}::text[], ${column('app_id')}::text[],
        ${column('user_id')}::text[], ${column('platform')}::text[], ${column('variant')}::text[], ${column('outcome')}::text[],
        ${column('code')}::text[], ${column('provider_code')}::text[], ${column('token_version')}::int[], ${column('attempts')}::int[])
        as entry(day, campaign_id, subscription_id, app_id)
      where not exists (select from erased_apps where erased_apps.app_id = entry.app_id)
        and day >= (now() at time zone 'utc')::date - ${retentionDays}::int
      on conflict do nothing
      returning campaign_id, subscription_id
    )
    select now() as at, count(*)::int as count,
      case when count(*) < ${entries.length}::int then array_agg(campaign_id || subscription_id) end as keys
    from inserted`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the ledger answered nothing')
  return { at: row.at, inserted: row.count === entries.length ? 'all' : new Set(row.keys ?? []) }
}

/** The outcomes of these pushes of one campaign, as far as there are any. */
export const findOutcomes = (
  db: Db,
  { day, campaignId, subscriptionIds }: { day: string; campaignId: string; subscriptionIds: string[] },
) =>
  db
    .selectFrom('ledger')
    .select(['subscription_id', 'outcome', 'code', 'token_version', 'settled_at'])
    .where('day', '=', day)
    .where('campaign_id', '=', campaignId)
    .where('subscription_id', '=', sql<string>`any(${subscriptionIds})`)
    .execute()

export type LedgerPlace = { campaignId: string; subscriptionId: string }
export type LedgerFilter = {
  appId: string
  campaignId?: string | undefined
  userId?: string | undefined
  subscriptionId?: string | undefined
  outcome?: OutcomeKind | undefined
  code?: string | undefined
  /** The last push of the page before. */
  after?: LedgerPlace | undefined
  limit: number
  retentionDays: number
}
export type LedgerRow = Selectable<Tables['ledger']>
export type LedgerPage = {
  page: LedgerRow[]
  /** Where to go on; undefined at the end. */
  examinedTo: LedgerPlace | undefined
}

const only = (condition: unknown, fragment: ReturnType<typeof sql>) => (condition === undefined ? sql`` : fragment)
const matching = ({ userId, outcome, code }: LedgerFilter) => sql`
  ${only(userId, sql`and user_id = ${userId}`)}
  ${only(outcome, sql`and outcome = ${outcome}`)}
  ${only(code, sql`and code = ${code}`)}`

/**
 * A page of one device's pushes, the newest day first and in it the newest campaign. One probe of the device's index a day finds the days
 * that have any, so a page costs what it shows and the device's other pushes of these days, however many it has in all.
 */
export async function findPushesOfDevice(db: Db, filter: LedgerFilter & { subscriptionId: string }): Promise<LedgerPage> {
  const { appId, campaignId, subscriptionId, after, limit, retentionDays } = filter
  const { rows: days } = await sql<{ day: string }>`
    select at::date as day from generate_series(
      ${after ? sql`(select day from counters where campaign_id = ${after.campaignId})` : sql`((now() at time zone 'utc')::date + 1)`}::timestamp,
      ((now() at time zone 'utc')::date - ${retentionDays}::int)::timestamp, interval '-1 day') as wanted(at)
    cross join lateral (select from ledger where ledger.day = wanted.at::date and subscription_id = ${subscriptionId} limit 1) as any_push
    order by at desc`.execute(db)
  const found: LedgerRow[] = []
  for (const { day } of days) {
    const { rows } = await sql<LedgerRow>`
      select * from ledger
      where day = ${day}::date and subscription_id = ${subscriptionId} and app_id = ${appId}
        ${only(campaignId, sql`and campaign_id = ${campaignId}`)}
        ${only(after, sql`and (day < (select day from counters where campaign_id = ${after?.campaignId}) or campaign_id < ${after?.campaignId})`)}
        ${matching(filter)}
      order by campaign_id desc
      limit ${limit + 1 - found.length}`.execute(db)
    found.push(...rows)
    if (found.length > limit) break
  }
  return { page: found.slice(0, limit), examinedTo: found.length > limit ? placeOf(found[limit - 1]) : undefined }
}

/** What one page looks at, at most: campaigns at ~2 µs, pushes at ~3 µs, whatever is looked for. */
const mostCampaigns = 10_000
const mostPushes = 10_000
/** Campaigns that are looked at together. */
const campaignsAtOnce = 1_000
/** Campaigns whose pushes are read together, each a probe of the ledger's key. */
const probesAtOnce = 500
/** No next portion is begun after this. */
const portionsWithinMs = 1_000

type CampaignPushes = { campaign_id: string; day: string; kept: boolean; settled: number }

/**
 * A page of an app's pushes: newest campaign first, in it newest device first. Walks the app's campaigns by their index, and in each its
 * pushes by the ledger's key. Counters say how many pushes of a kind a campaign has, so that one without any is not looked into. A page
 * ends when it is full or when it has looked at as much as a page may: then it holds fewer than asked for, or none, and still has one
 * after it. So it costs the same whatever the app's history holds.
 */
export async function findPushes(db: Db, filter: LedgerFilter): Promise<LedgerPage> {
  const { limit, userId, outcome, code } = filter
  const until = performance.now() + portionsWithinMs
  const page: LedgerRow[] = []
  let { after } = filter
  let campaignsLeft = mostCampaigns
  let pushesLeft = userId === undefined && outcome === undefined && code === undefined ? limit + 1 : mostPushes
  for (;;) {
    const asked = Math.min(campaignsAtOnce, campaignsLeft)
    const campaigns = await findCampaignPushes(db, { ...filter, after }, asked)
    campaignsLeft -= asked
    for (const portion of portionsOf(campaigns, pushesLeft)) {
      const { found, examined, examinedTo } = await readPortion(db, portion, { ...filter, after, limit: limit - page.length }, pushesLeft)
      const isMore = found.length > limit - page.length
      page.push(...found.slice(0, limit - page.length))
      if (isMore) return { page, examinedTo: placeOf(page.at(-1)) }
      pushesLeft -= examined
      // Where not all pushes of the portion were read, the page has looked at as many as it may.
      after = pushesLeft > 0 ? endOf(portion.at(-1)) : examinedTo
      if (pushesLeft === 0 || performance.now() > until) return { page, examinedTo: after }
    }
    if (campaigns.length < asked) return { page, examinedTo: undefined }
    after = endOf(campaigns.at(-1))
    if (campaignsLeft === 0 || performance.now() > until) return { page, examinedTo: after }
  }
}

/** Pages go from the highest id down, so nothing of a campaign comes after this one. */
const lowestId = '0'.repeat(24)
const pastEveryId = 'g'
const endOf = (campaign: CampaignPushes | undefined): LedgerPlace | undefined =>
  campaign && { campaignId: campaign.campaign_id, subscriptionId: lowestId }

/**
 * The next campaigns of an app, newest first, with how many pushes each has that may be wanted. Asked for as a range of the index by app:
 * with `app_id = …` the planner may take the index of all campaigns, and walk through every newer one of other apps.
 */
async function findCampaignPushes(
  db: Db,
  { appId, campaignId, outcome, code, after, retentionDays }: LedgerFilter,
  limit: number,
): Promise<CampaignPushes[]> {
  // A cursor within a campaign: what is left of it comes first.
  const isPartLeft = after !== undefined && after.subscriptionId !== lowestId
  const wanted = outcome ?? (code === undefined ? undefined : 'ended badly')
  const { rows } = await sql<CampaignPushes & { wanted: number }>`
    select campaign_id, day, day >= (now() at time zone 'utc')::date - ${retentionDays}::int as kept, sent + failed + skipped as settled,
      ${wanted === undefined ? sql`sent + failed + skipped` : wanted === 'ended badly' ? sql`failed + skipped` : sql.ref(wanted)} as wanted
    from counters
    where ${
      campaignId === undefined
        ? sql`app_id >= ${appId} and (app_id, campaign_id) ${isPartLeft ? sql`<=` : sql`<`} (${appId}, ${after?.campaignId ?? pastEveryId})`
        : sql`app_id = ${appId} and campaign_id = ${campaignId}`
    }
    order by app_id desc, campaign_id desc
    limit ${limit}`.execute(db)
  return rows.map(({ wanted: count, ...row }) => ({ ...row, settled: count === 0 || !row.kept ? 0 : row.settled }))
}

/** Campaigns that have pushes to look at, as many together as `pushes` may come from. */
function portionsOf(campaigns: CampaignPushes[], pushes: number): CampaignPushes[][] {
  const portions: CampaignPushes[][] = []
  let sum = Infinity
  for (const campaign of campaigns) {
    if (campaign.settled === 0) continue
    if (sum >= pushes || (portions.at(-1)?.length ?? 0) >= probesAtOnce) {
      portions.push([])
      sum = 0
    }
    portions.at(-1)?.push(campaign)
    sum += campaign.settled
  }
  return portions
}

/**
 * Looks at the pushes of these campaigns in their order, after a place and at most `most`, a probe of the ledger's key for each campaign.
 * Answers those that are wanted, one more than `limit` at most, and how far it has looked.
 */
async function readPortion(
  db: Db,
  portion: CampaignPushes[],
  filter: LedgerFilter,
  most: number,
): Promise<{ found: LedgerRow[]; examined: number; examinedTo: LedgerPlace | undefined }> {
  const { after, limit } = filter
  const days = portion.map(({ day }) => day)
  // The days are named twice: the list lets the planner leave out the other partitions, at ~0.1 ms each.
  const { rows } = await sql<LedgerRow & { is_found: boolean; examined: number }>`
    with examined as materialized (
      select push.*
      from unnest(${days}::date[], ${portion.map(({ campaign_id }) => campaign_id)}::text[]) as campaign(day, campaign_id)
      cross join lateral (
        select * from ledger
        where ledger.day = campaign.day and ledger.day = any(${[...new Set(days)]}::date[]) and ledger.campaign_id = campaign.campaign_id
          ${only(after, sql`and (ledger.campaign_id < ${after?.campaignId} or ledger.subscription_id < ${after?.subscriptionId})`)}
        order by ledger.subscription_id desc
        limit ${most}
      ) push
      order by push.campaign_id desc, push.subscription_id desc
      limit ${most}
    ), found as (
      select * from examined where true ${matching(filter)} order by campaign_id desc, subscription_id desc limit ${limit + 1}
    ), last as (
      select * from examined order by campaign_id, subscription_id limit 1
    )
    select *, true as is_found, (select count(*)::int from examined) as examined from found
    union all
    select *, false, (select count(*)::int from examined) from last
    order by is_found desc, campaign_id desc, subscription_id desc`.execute(db)
  const last = rows.at(-1)
  return { found: rows.slice(0, -1), examined: last?.examined ?? 0, examinedTo: placeOf(last) }
}

const placeOf = (row: { campaign_id: string; subscription_id: string } | undefined): LedgerPlace | undefined =>
  row && { campaignId: row.campaign_id, subscriptionId: row.subscription_id }
