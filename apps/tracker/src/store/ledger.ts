import type { OutcomeKind } from '@herald/contracts/outcome'
import { sql, type Selectable } from 'kysely'
import type { Db, Tables } from './tables.ts'

export type LedgerEntry = Omit<Selectable<Tables['ledger']>, 'settled_at'>

/** One push: its campaign and its device. The day follows from the campaign. */
export const pushKey = (campaignId: string, subscriptionId: string): string => campaignId + subscriptionId

/**
 * Writes outcomes, sorted by key and each key once, and answers the database's time and which were new: `'all'`, as
 * nearly always, or the keys. A push that has its outcome keeps it. New keys are only spelled out when some were not
 * new: answering 500 rows to count them costs ~1 µs per push. Nothing is new for a deleted app: who tells its outcomes may go on.
 */
export async function insertOutcomes(db: Db, entries: LedgerEntry[]): Promise<{ at: Date; inserted: 'all' | Set<string> }> {
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
export type LedgerPage = {
  page: Selectable<Tables['ledger']>[]
  /** Where to go on; undefined at the end. */
  examinedTo: LedgerPlace | undefined
}

const only = (condition: unknown, fragment: ReturnType<typeof sql>) => (condition === undefined ? sql`` : fragment)

/** A page of one device's pushes, newest campaign first, by the device's own index. */
export async function findPushesOfDevice(db: Db, filter: LedgerFilter & { subscriptionId: string }): Promise<LedgerPage> {
  const { appId, campaignId, subscriptionId, userId, outcome, code, after, limit } = filter
  const { rows } = await sql<Selectable<Tables['ledger']>>`
    select * from ledger
    where subscription_id = ${subscriptionId} and app_id = ${appId}
      ${only(campaignId, sql`and campaign_id = ${campaignId}`)}
      ${only(userId, sql`and user_id = ${userId}`)}
      ${only(outcome, sql`and outcome = ${outcome}`)}
      ${only(code, sql`and code = ${code}`)}
      ${only(after, sql`and campaign_id < ${after?.campaignId}`)}
    order by campaign_id desc
    limit ${limit + 1}`.execute(db)
  return { page: rows.slice(0, limit), examinedTo: rows.length > limit ? placeOf(rows[limit - 1]) : undefined }
}

/** At ~3 µs each a page costs ~30 ms, however rare what is looked for. */
const mostExamined = 10_000

/**
 * A page of an app's pushes: newest campaign first, in it newest device first. Walks the keys of the app's campaigns and, when
 * it has to look for something, looks at no more than `mostExamined` pushes: such a page may hold fewer than asked for, or
 * none, and still have one after it.
 */
export async function findPushes(db: Db, filter: LedgerFilter): Promise<LedgerPage> {
  const { appId, campaignId, userId, outcome, code, after, limit, retentionDays } = filter
  const examine = userId === undefined && outcome === undefined && code === undefined ? limit + 1 : mostExamined
  const { rows } = await sql<Selectable<Tables['ledger']> & { found: boolean }>`
    with examined as materialized (
      select push.*, row_number() over (order by push.campaign_id desc, push.subscription_id desc) as place
      from (
        select campaign_id, day from counters
        where app_id = ${appId}
          and day >= (now() at time zone 'utc')::date - ${retentionDays}::int
          ${only(campaignId, sql`and campaign_id = ${campaignId}`)}
          ${only(after, sql`and campaign_id <= ${after?.campaignId}`)}
        order by campaign_id desc
      ) campaign
      cross join lateral (
        select * from ledger
        where ledger.day = campaign.day and ledger.campaign_id = campaign.campaign_id
          ${only(after, sql`and (ledger.campaign_id < ${after?.campaignId} or ledger.subscription_id < ${after?.subscriptionId})`)}
        order by ledger.subscription_id desc
        limit ${examine}
      ) push
      order by push.campaign_id desc, push.subscription_id desc
      limit ${examine}
    ), found as (
      select * from examined
      where true
        ${only(userId, sql`and user_id = ${userId}`)}
        ${only(outcome, sql`and outcome = ${outcome}`)}
        ${only(code, sql`and code = ${code}`)}
      order by place
      limit ${limit + 1}
    )
    select *, true as found from found
    union all
    select *, false as found from examined where place = ${examine}
    order by found desc, place`.execute(db)
  const found = rows.filter((row) => row.found)
  const page = found.slice(0, limit)
  return { page, examinedTo: placeOf(found.length > limit ? page.at(-1) : rows.find((row) => !row.found)) }
}

const placeOf = (row: { campaign_id: string; subscription_id: string } | undefined): LedgerPlace | undefined =>
  row && { campaignId: row.campaign_id, subscriptionId: row.subscription_id }
