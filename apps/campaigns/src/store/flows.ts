import type { Recurrence } from '@herald/contracts/occurrences'
import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import { isRecurring, ownLease, withoutNames, type Started } from './campaigns.ts'
import type { Db } from './tables.ts'

type One = { appId: string; campaignId: string }
/** A send under way whose flow has changed. `isDue` says that audience needs a pointer to the send, with the number `pointerNo`. */
export type Changed = Started & { pointerNo: number; isDue: boolean }

const again = sql<Date>`now() + interval '5 seconds'`

/**
 * Pauses, resumes or cancels a send under way; while it is paused audience gets no pointer to it. Gives undefined when the status does not allow the
 * change, or a cancel was asked for already.
 */
export const changeFlow = (db: Db, { appId, campaignId }: One, action: 'pause' | 'resume' | 'askCancel'): Promise<Changed | undefined> =>
  db
    .updateTable('campaigns')
    .set({
      ...(action === 'askCancel' ? { cancelling: true } : { status: statusAfter(action) }),
      ...(action === 'pause' ? { paused_at: sql<Date>`now()` } : {}),
      ...(action === 'resume' ? { paused_at: null } : {}),
      // The pointer gets a new number, because the queue drops a message whose number it has had within two minutes.
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
    .returning([
      ...([
        'id',
        'app_id as appId',
        'status',
        'cancelling',
        'flow_no as flowNo',
        'pointer_no as pointerNo',
        'send_rate as perMinute',
      ] as const),
      sql<boolean>`due_at is not null`.as('isDue'),
    ])
    .executeTakeFirst()

/**
 * Changes the rate of a campaign that has not ended; 0 takes it away. Gives the campaign; undefined when its status does not allow it or a cancel was
 * asked for. Audience is told of a send under way alone.
 */
export async function changeRate(
  db: Db,
  { appId, campaignId }: One,
  perMinute: number,
): Promise<(Started & { isTold: boolean }) | undefined> {
  const isUnderWay = sql<boolean>`(status in ('sending', 'paused') and (${isRecurring}) is not true)`
  return db
    .updateTable('campaigns')
    .set({
      send_rate: perMinute,
      flow_no: sql<number>`flow_no + ${isUnderWay}::int`,
      flow_due_at: sql<Date | null>`case when ${isUnderWay} then ${again} else flow_due_at end`,
    })
    .where('id', '=', campaignId)
    .where('app_id', '=', appId)
    .where('status', 'in', statusesThatAllow('changeRate'))
    .where('cancelling', '=', false)
    .where('recall_of', 'is', null)
    .returning(['id', 'app_id as appId', 'status', 'cancelling', 'flow_no as flowNo', 'send_rate as perMinute'])
    .returning(isUnderWay.as('isTold'))
    .executeTakeFirst()
}

/** Pauses a recurrence: it is not due any more, so it makes no run. Gives false when the status does not allow it. */
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

/**
 * Locks a paused recurrence until the transaction ends, and gives it with the database's time. Undefined when the app has no such paused recurrence.
 */
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

/** Resumes a recurrence whose row the caller has locked. */
export const markResumed = (db: Db, campaignId: string, dueAt: Date) =>
  db
    .updateTable('campaigns')
    .set({ status: statusAfter('resumeRecurring'), due_at: dueAt, paused_at: null })
    .where('id', '=', campaignId)
    .execute()

/**
 * Ends at most 100 pauses that last longer than `days`, and gives the ids of the campaigns. A recurrence is cancelled at once; a send is marked, and
 * the sweep tells audience of the cancel.
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

/**
 * Takes due changes of flow that audience has not answered; they are due again after 5 s. Parallel sweeps never take the same row. `only`: of the due
 * changes, that of this campaign alone.
 */
export const takeDueFlows = (db: Db, limit: number, only?: string): Promise<Started[]> =>
  db
    .with('due', (due) =>
      due
        .selectFrom('campaigns')
        .select('id')
        .where('flow_due_at', '<=', sql<Date>`now()`)
        .$if(only !== undefined, (query) => query.where('id', '=', only ?? ''))
        .orderBy('flow_due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('campaigns')
    .where('campaigns.id', '=', sql<string>`any(array(select id from due))`)
    .set({ flow_due_at: again })
    .returning(['campaigns.id', 'app_id as appId', 'status', 'cancelling', 'flow_no as flowNo', 'send_rate as perMinute'])
    .execute()

/** Finds the campaigns whose changes `takeDueFlows` would take. */
export async function findDueFlows(db: Db, limit: number): Promise<string[]> {
  const due = db
    .selectFrom('campaigns')
    .select('id')
    .where('flow_due_at', '<=', sql<Date>`now()`)
  return (await due.orderBy('flow_due_at').limit(limit).execute()).map(({ id }) => id)
}

/** Notes that audience has answered the change `flowNo`. When there is a later change, audience is still told of that one. */
export async function confirmFlow(db: Db, campaignId: string, flowNo: number): Promise<void> {
  await db.updateTable('campaigns').set({ flow_due_at: null }).where('id', '=', campaignId).where('flow_no', '=', flowNo).execute()
}

/** Ends a cancelled send of which audience has no fan-out row. No push was queued, so the tracker will never settle the send. */
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
