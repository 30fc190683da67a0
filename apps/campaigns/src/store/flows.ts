import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import type { Recurrence } from '@herald/contracts/occurrences'
import { isRecurring, ownLease, withoutNames, type Started } from './campaigns.ts'
import type { Db } from './tables.ts'

type One = { appId: string; campaignId: string }
/** A campaign under way whose flow has changed. `pointer_no`: the number of its next pointer, when it has to be pointed at. */
export type Changed = Started & { pointer_no: number; is_due: boolean }

const again = sql<Date>`now() + interval '5 seconds'`

/**
 * Pauses, resumes or cancels a send under way: the status, its number and what audience is to be told commit together. Undefined: its
 * status does not allow that, or a cancel was asked for already. One that audience has not started is pointed at no more until it resumes.
 */
export const changeFlow = (db: Db, { appId, campaignId }: One, action: 'pause' | 'resume' | 'askCancel'): Promise<Changed | undefined> =>
  db
    .updateTable('campaigns')
    .set({
      ...(action === 'askCancel' ? { cancelling: true } : { status: statusAfter(action) }),
      ...(action === 'pause' ? { paused_at: sql<Date>`now()` } : {}),
      ...(action === 'resume' ? { paused_at: null } : {}),
      // Another number: the same within two minutes would be swallowed, and with it the send.
      ...(action === 'resume'
        ? { due_at: sql<Date>`case when started_at is null then ${ownLease} end`, pointer_no: sql<number>`pointer_no + 1` }
        : { due_at: null }),
      flow_no: sql<number>`flow_no + 1`,
      flow_due_at: again,
    })
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('status', 'in', statusesThatAllow(action))
    .where('cancelling', '=', false)
    .$if(action === 'resume', (query) => query.where(sql<boolean>`(${isRecurring}) is not true`))
    .returning(['id', 'status', 'cancelling', 'flow_no', 'pointer_no', sql<boolean>`due_at is not null`.as('is_due')])
    .executeTakeFirst()

/** Pauses a recurrence: it is due no more, so nobody makes a run of it. False: its status does not allow that. */
export async function pauseRecurrence(db: Db, { appId, campaignId }: One): Promise<boolean> {
  const row = await db
    .updateTable('campaigns')
    .set({ status: statusAfter('pauseRecurring'), due_at: null, paused_at: sql<Date>`now()` })
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('status', 'in', statusesThatAllow('pauseRecurring'))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** A paused recurrence, with the database's clock; its row is the caller's until its transaction ends. Undefined: it is none, or not paused. */
export async function lockPausedRecurrence(
  db: Db,
  { appId, campaignId }: One,
): Promise<{ schedule: Recurrence; activatedAt: Date; now: Date } | undefined> {
  const row = await db
    .selectFrom('campaigns')
    .select(['schedule', 'activated_at', sql<Date>`now()`.as('now')])
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('status', 'in', statusesThatAllow('resumeRecurring'))
    .where('cancelling', '=', false)
    .forUpdate()
    .executeTakeFirst()
  return row?.schedule?.type === 'recurring' && row.activated_at
    ? { schedule: row.schedule, activatedAt: row.activated_at, now: row.now }
    : undefined
}

/** Lets a paused recurrence go on. The caller holds its row. */
export const markResumed = (db: Db, campaignId: string, dueAt: Date) =>
  db
    .updateTable('campaigns')
    .set({ status: statusAfter('resumeRecurring'), due_at: dueAt, paused_at: null })
    .where('id', '=', campaignId)
    .execute()

/**
 * Ends pauses of more than `days`, at most 100 at once: a recurrence is cancelled, of a send its cancel is asked for and told to audience by
 * the sweep. Answers the ids.
 */
export async function endLongPauses(db: Db, days: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with long as (
      select id, coalesce(${isRecurring}, false) as recurs from campaigns
      where paused_at < now() - make_interval(days => ${days}) and status = 'paused' and not cancelling
      order by paused_at limit 100 for update skip locked
    )
    update campaigns set
      status = case when recurs then ${statusAfter('cancelRecurring')} else status end,
      settled_at = case when recurs then now() end,
      cancelling = not recurs,
      flow_no = flow_no + (not recurs)::int,
      flow_due_at = case when not recurs then now() end,
      paused_at = case when not recurs then paused_at end,
      due_at = null
    from long where campaigns.id = long.id
    returning campaigns.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Takes changes that audience has not answered. Two sweeps never take the same row; it is due again after 5 s. */
export const takeDueFlows = (db: Db, limit: number): Promise<Started[]> =>
  db
    .with('due', (due) =>
      due
        .selectFrom('campaigns')
        .select('id')
        .where('flow_due_at', '<=', sql<Date>`now()`)
        .orderBy('flow_due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('campaigns')
    .where('campaigns.id', '=', sql<string>`any(array(select id from due))`)
    .set({ flow_due_at: again })
    .returning(['campaigns.id', 'status', 'cancelling', 'flow_no'])
    .execute()

/** Audience has answered to change `flowNo`; a later one stays to be told. */
export async function confirmFlow(db: Db, campaignId: string, flowNo: number): Promise<void> {
  await db.updateTable('campaigns').set({ flow_due_at: null }).where('id', '=', campaignId).where('flow_no', '=', flowNo).execute()
}

/** A cancelled send that audience never had: nothing was queued, so nothing settles it. Whom a notification was for is forgotten. */
export async function markNeverStarted(db: Db, campaignId: string): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({
      status: statusAfter('settleCancelled'),
      settled_at: sql<Date>`now()`,
      due_at: null,
      flow_due_at: null,
      paused_at: null,
      target: withoutNames,
    })
    .where('id', '=', campaignId)
    .where('status', 'in', statusesThatAllow('settleCancelled'))
    .where('cancelling', '=', true)
    .execute()
}
