import type { Content } from '@herald/contracts/content'
import type { RecallMode } from '@herald/contracts/recall'
import type { CampaignStatus } from '@herald/contracts/stats'
import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import { columnsOf, ownLease, type Draft } from './campaigns.ts'
import type { Db } from './tables.ts'

/** The follow-ups that have not ended, which are the statuses that allow a cancel of some kind. */
const underWay: CampaignStatus[] = ['scheduled', ...statusesThatAllow('askCancel')]

type One = { appId: string; campaignId: string }

/**
 * Finds what decides whether a campaign can be recalled. With `lock` its row is locked until the transaction ends, so that one of two recalls finds the
 * other. Undefined when the campaign is unknown or belongs to another app.
 */
export const findRecallable = (db: Db, { appId, campaignId }: One, { ledgerDays, lock = false }: { ledgerDays: number; lock?: boolean }) =>
  db
    .selectFrom('campaigns')
    .select(['status', 'silent', 'schedule', 'cancelling', 'recall_of as recallOf', 'settled_at as settledAt'])
    .select(sql<number>`extract(epoch from now() - coalesce(started_at, created_at))::float8 / 86400`.as('days'))
    .select(
      sql<boolean>`
        (coalesce(started_at, settled_at, created_at) at time zone 'utc')::date < (now() at time zone 'utc')::date - ${ledgerDays}::int
      `.as('ledgerIsGone'),
    )
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .$if(lock, (query) => query.forNoKeyUpdate())
    .executeTakeFirst()

/** Whether a follow-up of the campaign has not ended. It is read after the row is locked, so that it sees what the one before has written. */
export async function isBeingRecalled(db: Db, campaignId: string): Promise<boolean> {
  const row = await db
    .selectFrom('campaigns')
    .select('id')
    .where('recall_of', '=', campaignId)
    .where('status', 'in', underWay)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Writes the follow-up of a recall. It is scheduled without a time: it begins when the campaign `of` has settled. Gives false for an erased app. */
export async function insertFollowUp(
  db: Db,
  {
    id,
    appId,
    of,
    mode,
    skipOpened,
    transactional,
    test,
    variants,
    draft,
  }: One & {
    id: string
    of: string
    mode: RecallMode
    skipOpened: boolean
    transactional: boolean
    test: boolean
    variants: { id: string; weight: number }[] | null
    draft: Draft
  },
): Promise<boolean> {
  const row = await db
    .insertInto('campaigns')
    .values({
      ...{ id, app_id: appId, status: 'scheduled', transactional, due_at: null },
      ...columnsOf(draft),
      ...(test ? { test: true } : {}),
      recall_of: of,
      recall: JSON.stringify({ mode, skipOpened, variants }),
    })
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** A follow-up that may begin: the campaign `of` has settled. `leavesInboxes`: people have the campaign in their inboxes, and it is dismissed. */
export type DueRecall = { id: string; appId: string; of: string; leavesInboxes: boolean }

/**
 * Finds follow-ups that may begin, oldest first, and whether others still wait for their campaigns. The condition is written so that the planner reads
 * the index of follow-ups and not all scheduled campaigns.
 */
export async function findDueRecalls(db: Db, limit: number): Promise<{ due: DueRecall[]; someWait: boolean }> {
  const { rows } = await sql<DueRecall & { isDue: boolean }>`
    select r.id, r.app_id as "appId", r.recall_of as of, first.settled_at is not null as "isDue",
      first.inbox and r.recall ->> 'mode' = 'dismiss' as "leavesInboxes"
    from campaigns r join campaigns first on first.id = r.recall_of
    where r.recall_of > '' and r.status || '' = 'scheduled'
    order by first.settled_at is null, r.id limit ${limit}`.execute(db)
  return { due: rows.filter(({ isDue }) => isDue), someWait: rows.some(({ isDue }) => !isDue) }
}

/** Begins a recall's campaign. Gives false when it was cancelled or another process has begun it: the row's lock decides. */
export async function markBegun(db: Db, id: string): Promise<boolean> {
  const row = await db
    .updateTable('campaigns')
    .set({ status: statusAfter('start'), due_at: ownLease })
    .where('id', '=', id)
    .where('status', 'in', statusesThatAllow('start'))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** A cancelled follow-up that never began asks nobody for anything. */
const counts = sql`not (status = 'cancelled' and started_at is null)`

/** Finds the newest follow-up of each of these campaigns that has one, by campaign. */
export async function findNewestRecalls(
  db: Db,
  appId: string,
  campaignIds: string[],
): Promise<Map<string, { mode: RecallMode; content: Content | null }>> {
  const { rows } = await sql<{ of: string; mode: RecallMode; content: Content | null }>`
    select distinct on (recall_of) recall_of as of, recall ->> 'mode' as mode, content from campaigns
    where recall_of = any(${campaignIds}) and app_id || '' = ${appId} and ${counts}
    order by recall_of, created_at desc, id desc`.execute(db)
  return new Map(rows.map(({ of, ...recall }) => [of, recall]))
}

/** Lists the follow-ups of a campaign, oldest first. */
export async function listRecalls(
  db: Db,
  { appId, campaignId }: One,
): Promise<{ campaignId: string; mode: RecallMode; status: CampaignStatus }[]> {
  const { rows } = await sql<{ campaignId: string; mode: RecallMode; status: CampaignStatus }>`
    select id as "campaignId", recall ->> 'mode' as mode, status from campaigns
    where recall_of = ${campaignId} and app_id || '' = ${appId} and ${counts}
    order by created_at, id`.execute(db)
  return rows
}
