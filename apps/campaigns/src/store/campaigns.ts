import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Experiment, Schedule } from '@herald/contracts/campaign'
import type { CampaignStatus } from '@herald/contracts/stats'
import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import type { ResolvedSend } from '../core/overrides.ts'
import type { Db } from './tables.ts'

export type NewCampaign = {
  id: string
  appId: string
  name: string
  /** A notification is under way as it is accepted, a campaign is a draft until it is sent. */
  status: 'sending' | 'draft'
  transactional: boolean
  target: FrozenTarget | null
  templateId: string | null
  segmentId: string | null
  schedule: Schedule | null
  experiment: Experiment | null
  send: ResolvedSend
}

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

/** The own lease of what is under way: if its first pointer is lost, the sweep points again after 5 s. */
export const ownLease = sql<Date>`now() + interval '5 seconds'`

/** Writes notifications, each with its own lease, and drafts. */
export async function insertCampaigns(db: Db, campaigns: NewCampaign[]): Promise<void> {
  if (campaigns.length === 0) return
  await db
    .insertInto('campaigns')
    .values(
      campaigns.map(({ id, appId, name, status, transactional, target, templateId, segmentId, schedule, experiment, send }) => ({
        id,
        app_id: appId,
        name,
        status,
        transactional,
        target: jsonOrNull(target),
        content: jsonOrNull(send.content),
        template_id: templateId,
        silent: send.silent,
        data: JSON.stringify(send.data),
        ttl: send.ttl,
        collapse_id: send.collapseId,
        priority: send.priority,
        presentation: jsonOrNull(send.presentation),
        bypass: JSON.stringify(send.bypass),
        schedule: jsonOrNull(schedule),
        segment_id: segmentId,
        experiment: jsonOrNull(experiment),
        due_at: status === 'sending' ? ownLease : null,
      })),
    )
    .execute()
}

/** A campaign that is to be sent, or undefined: unknown, or not (any more) under way. */
export const findSending = (db: Db, campaignId: string) =>
  db.selectFrom('campaigns').selectAll().where('id', '=', campaignId).where('status', '=', 'sending').executeTakeFirst()

export const findCampaign = (db: Db, appId: string, campaignId: string) =>
  db
    .selectFrom('campaigns')
    .select(['id', 'name', 'status', 'transactional', 'created_at'])
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()

/** What a send or a winner is decided by, with the database's clock beside it. Undefined: unknown, or another app's. */
export const findDecidable = (db: Db, appId: string, campaignId: string) =>
  db
    .selectFrom('campaigns')
    .select(['status', 'target', 'segment_id', 'schedule', 'experiment', 'silent', sql<boolean>`content is not null`.as('has_content')])
    .select(sql<Date>`now()`.as('now'))
    .select(sql<boolean>`exists (select from campaigns as winner where winner.remainder_of = campaigns.id)`.as('has_winner'))
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .executeTakeFirst()

export type Sent = 'sendNow' | 'sendLater' | 'sendRecurring'

/**
 * Sends a campaign if its status still allows that, with the target as it is now; answers the new status, or undefined: something else came first. One row, one
 * condition: of a send, a cancel and a start that meet, exactly one finds the status it needs.
 */
export async function markSent(
  db: Db,
  campaignId: string,
  { action, dueAt, target }: { action: Sent; dueAt: Date | null; target: FrozenTarget },
): Promise<CampaignStatus | undefined> {
  const row = await db
    .updateTable('campaigns')
    .set({
      status: statusAfter(action),
      target: JSON.stringify(target),
      due_at: dueAt ?? ownLease,
      ...(action === 'sendRecurring' ? { activated_at: sql<Date>`now()` } : {}),
    })
    .where('id', '=', campaignId)
    .where('status', 'in', statusesThatAllow(action))
    .returning('status')
    .executeTakeFirst()
  return row?.status
}

/** Cancels a campaign if its status allows that; whether it did. */
export async function markCancelled(db: Db, appId: string, campaignId: string): Promise<boolean> {
  const row = await db
    .updateTable('campaigns')
    .set({ status: statusAfter('cancel'), due_at: null, settled_at: sql<Date>`now()` })
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('status', 'in', statusesThatAllow('cancel'))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Locks campaigns in the order of their ids: groups of several processes overlap, and an update alone locks in any order. */
const locked = (campaignIds: string[]) => sql`select id from campaigns where id = any(${campaignIds}) order by id for no key update`

/** Audience has its fan-out rows: the sweep need not point at these any more. */
export async function markStarted(db: Db, campaignIds: string[]): Promise<void> {
  await sql`
    with locked as materialized (${locked(campaignIds)})
    update campaigns set due_at = null, started_at = coalesce(started_at, now()) from locked where campaigns.id = locked.id`.execute(db)
}

/**
 * Every queued push of these has an outcome. One that has ended otherwise stays as it is. Whom a notification was for is
 * forgotten: nobody asks again, and the external ids in it are a person's.
 */
export async function markSettled(db: Db, campaignIds: string[]): Promise<void> {
  await sql`
    with locked as materialized (${locked(campaignIds)})
    update campaigns set status = 'sent', settled_at = now(), due_at = null, target = case when transactional then null else target end
    from locked
    where campaigns.id = locked.id and status = any(${statusesThatAllow('settle')})`.execute(db)
}

/** A campaign that cannot be sent, with the reason. One that has ended otherwise stays as it is. */
export async function markFailed(db: Db, campaignId: string, failure: { code: string; message: string }): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({ status: 'failed', failure: JSON.stringify(failure), settled_at: sql<Date>`now()`, due_at: null })
    .where('id', '=', campaignId)
    .where('status', 'in', statusesThatAllow('fail'))
    .execute()
}

/**
 * Deletes notifications past retention that have ended, at most 1,000 at once; answers how many. Ids start with the second they
 * were made in, so the primary key is the index by age.
 */
export async function deleteOldNotifications(db: Db, retentionDays: number): Promise<number> {
  const { rows } = await sql`
    with old as (
      select id from campaigns
      where id < lpad(to_hex(extract(epoch from now() - ${retentionDays}::int * interval '1 day')::bigint), 8, '0')
        and transactional and status <> 'sending'
      order by id limit 1000 for update skip locked
    )
    delete from campaigns using old where campaigns.id = old.id returning campaigns.id`.execute(db)
  return rows.length
}
