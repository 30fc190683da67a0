import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { sql } from 'kysely'
import { statusesThatAllow } from '../core/campaign.ts'
import type { ResolvedSend } from '../core/overrides.ts'
import type { Db } from './tables.ts'

export type NewNotification = {
  id: string
  appId: string
  target: FrozenTarget
  templateId: string | null
  segmentId: string | null
  send: ResolvedSend
}

/** What a notification's campaign is called (decisions.md 8). */
const notificationName = 'notification'

/** Writes notifications as campaigns under way, each with its own lease: if its first pointer is lost, the sweep points again after 5 s. */
export async function insertNotifications(db: Db, notifications: NewNotification[]): Promise<void> {
  if (notifications.length === 0) return
  await db
    .insertInto('campaigns')
    .values(
      notifications.map(({ id, appId, target, templateId, segmentId, send }) => ({
        id,
        app_id: appId,
        name: notificationName,
        status: 'sending' as const,
        transactional: true,
        target: JSON.stringify(target),
        content: send.content && JSON.stringify(send.content),
        template_id: templateId,
        silent: send.silent,
        data: JSON.stringify(send.data),
        ttl: send.ttl,
        collapse_id: send.collapseId,
        priority: send.priority,
        presentation: send.presentation && JSON.stringify(send.presentation),
        bypass: JSON.stringify(send.bypass),
        segment_id: segmentId,
        due_at: sql<Date>`now() + interval '5 seconds'`,
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

/**
 * Takes campaigns whose fan-out nobody has taken over. Two sweeps never take the same row; it is due again after 5, 10, 15, 15 … s
 * (`sweepAgainSeconds` of contracts/topology.ts, by the raised number).
 */
export const takeDueCampaigns = (db: Db, limit: number) =>
  db
    .with('due', (due) =>
      due
        .selectFrom('campaigns')
        .select('id')
        .where('due_at', '<=', sql<Date>`now()`)
        .where('status', '=', 'sending')
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('campaigns')
    .from('due')
    .whereRef('campaigns.id', '=', 'due.id')
    .set({ pointer_no: sql<number>`pointer_no + 1`, due_at: sql<Date>`now() + least(5 * (pointer_no + 2), 15) * interval '1 second'` })
    .returning(['campaigns.id', 'pointer_no'])
    .execute()

/** Locks campaigns in the order of their ids: groups of several processes overlap, and an update alone locks in any order. */
const locked = (campaignIds: string[]) => sql`select id from campaigns where id = any(${campaignIds}) order by id for no key update`

/** Audience has its fan-out rows: the sweep need not point at these any more. */
export async function markStarted(db: Db, campaignIds: string[]): Promise<void> {
  await sql`
    with locked as materialized (${locked(campaignIds)})
    update campaigns set due_at = null, started_at = coalesce(started_at, now()) from locked where campaigns.id = locked.id`.execute(db)
}

/** Every queued push of these has an outcome. One that has ended otherwise stays as it is. */
export async function markSettled(db: Db, campaignIds: string[]): Promise<void> {
  await sql`
    with locked as materialized (${locked(campaignIds)})
    update campaigns set status = 'sent', settled_at = now(), due_at = null from locked
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
