import { sql } from 'kysely'
import { statusAfter, statusesThatAllow } from '../core/campaign.ts'
import { ownLease, type Started } from './campaigns.ts'
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
    .returning(['id', 'status', 'cancelling', 'flow_no', 'pointer_no', sql<boolean>`due_at is not null`.as('is_due')])
    .executeTakeFirst()

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
    .from('due')
    .whereRef('campaigns.id', '=', 'due.id')
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
      target: sql`case when transactional then null else target end`,
    })
    .where('id', '=', campaignId)
    .where('status', 'in', statusesThatAllow('settleCancelled'))
    .where('cancelling', '=', true)
    .execute()
}
