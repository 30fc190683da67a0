import type { CampaignAudience } from '@herald/contracts/campaign'
import type { Place } from '@herald/contracts/page'
import type { CampaignStatus } from '@herald/contracts/stats'
import { sql } from 'kysely'
import { toWhole, wholeColumns, winnerColumn, type CampaignRow } from './campaigns.ts'
import type { Db } from './tables.ts'

/** A page of the list examines at most this many campaigns, at ~2 µs each. */
const mostExamined = 5_000

const newestFirst = (db: Db) =>
  db.selectFrom('campaigns').select(wholeColumns).select(winnerColumn).orderBy('created_at', 'desc').orderBy('id', 'desc')

export type CampaignFilter = {
  status?: CampaignStatus | undefined
  transactional?: boolean | undefined
  /** True: the list has tests only. False: the list has no tests. */
  test: boolean
  /** A part of the name, in any letter case. */
  inName: string | undefined
  /** The operator who made the campaign. */
  author?: string | undefined
  audience?: CampaignAudience['kind'] | undefined
  /** Only campaigns made at `from` or later, and before `to` (ISO). */
  from?: string | undefined
  to?: string | undefined
}

/** The kind of a row's audience, as `audienceOf` gives it for the whole row. */
const audienceKind = sql`case
  when target ->> 'kind' in ('externalIds', 'userIds', 'subscriptionIds', 'forgotten') then case when test then 'test' else 'people' end
  when remainder_of is not null then 'remainder' when target ->> 'kind' = 'all' then 'everyone' when target ->> 'kind' = 'reached' then 'reached' else 'segment' end`

/** Statuses that no notification ever has. */
const statusesWithoutNotifications = new Set<CampaignStatus>(['draft', 'scheduled', 'active'])

/**
 * Finds up to one campaign more than `limit`, newest first, among the next 5,000. A row beyond `limit` shows a next page; otherwise it begins at
 * `examinedTo`, undefined when no campaign is left.
 */
export async function findCampaigns(
  db: Db,
  appId: string,
  filter: CampaignFilter,
  { limit, after }: { limit: number; after: Place | undefined },
): Promise<{ rows: CampaignRow[]; examinedTo: Place | undefined }> {
  const { test: isOfTests, ...others } = filter
  const isFiltered = isOfTests || Object.values(others).some((value) => value !== undefined)
  if (!isFiltered) return findNewest(db, appId, { limit, after })
  const { ids, examinedTo } = await findFitting(db, appId, filter, { limit, after })
  // The query finds campaigns by id and has no limit: with a limit the planner may walk through all campaigns of the app in search of the ids.
  const rows = await newestFirst(db)
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  return { rows: rows.map(toWhole), examinedTo }
}

async function findFitting(
  db: Db,
  appId: string,
  { status, transactional, test, inName, author, audience, from, to }: CampaignFilter,
  { limit, after }: { limit: number; after: Place | undefined },
): Promise<{ ids: string[]; examinedTo: Place | undefined }> {
  // Then an index without notifications is read, so that a million of them do not fill the 5,000.
  const leavesOutNotifications =
    transactional === false ||
    author !== undefined ||
    audience === 'remainder' ||
    (status !== undefined && statusesWithoutNotifications.has(status))
  const { rows } = await sql<{ ids: string[]; examined: number; id: string; createdAt: Date }>`
    with examined as materialized (
      select id, created_at, status, transactional, test, name, author ${audience === undefined ? sql`` : sql`, ${audienceKind} as audience`}
      from campaigns
      where app_id = ${appId} ${leavesOutNotifications ? sql`and not transactional` : sql``} ${test ? sql`and test` : sql``}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id})` : sql``}
        ${from === undefined ? sql`` : sql`and created_at >= ${from}::timestamptz`} ${to === undefined ? sql`` : sql`and created_at < ${to}::timestamptz`}
      order by created_at desc, id desc limit ${mostExamined}
    )
    select id, created_at as "createdAt", (select count(*)::int from examined) as examined, array(
      select id from examined
      where ${test ? sql`test` : sql`test is null`} ${status === undefined ? sql`` : sql`and status = ${status}`}
        ${transactional === undefined ? sql`` : sql`and transactional = ${transactional}`}
        ${author === undefined ? sql`` : sql`and author = ${author}`} ${audience === undefined ? sql`` : sql`and audience = ${audience}`}
        ${inName === undefined ? sql`` : sql`and position(lower(${inName}) in lower(name)) > 0`}
      order by created_at desc, id desc limit ${limit + 1}
    ) as ids
    from examined order by created_at, id limit 1`.execute(db)
  const [last] = rows
  return { ids: last?.ids ?? [], examinedTo: last?.examined === mostExamined ? { id: last.id, createdAt: last.createdAt } : undefined }
}

/**
 * Finds up to one campaign more than `limit`, without tests, newest first, among the next 5,000. If these are too few, the next page, which may be
 * empty, begins at `examinedTo`.
 */
async function findNewest(
  db: Db,
  appId: string,
  { limit, after }: { limit: number; after: Place | undefined },
): Promise<{ rows: CampaignRow[]; examinedTo: Place | undefined }> {
  const left = newestFirst(db)
    .where('app_id', '=', appId)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(created_at, id) < (${after?.createdAt}::timestamptz, ${after?.id})`))
  const rows = await db
    .selectFrom(left.limit(mostExamined).as('examined'))
    .selectAll()
    .where('test', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  if (rows.length > limit) return { rows: rows.map(toWhole), examinedTo: undefined }
  const last = await left
    .clearSelect()
    .select(['id', 'created_at as createdAt'])
    .offset(mostExamined - 1)
    .limit(1)
    .executeTakeFirst()
  return { rows: rows.map(toWhole), examinedTo: last }
}
