import { sql, type Kysely } from 'kysely'
import type { Approval } from '../core/approval.ts'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>
type Of = { appId: string; campaignId: string }

const columns = ['campaign_id', 'asked_by', 'session_id', 'admin_key_id', 'devices', 'seen', 'asked_at'] as const

/** Notes that somebody asks to send a campaign, unless somebody has asked already. */
export const insertApproval = (db: Db, { appId, campaignId }: Of, approval: Omit<Approval, 'campaignId' | 'at'>): Promise<unknown> =>
  db
    .insertInto('approvals')
    .values({
      app_id: appId,
      campaign_id: campaignId,
      asked_by: approval.askedBy,
      session_id: approval.sessionId,
      admin_key_id: approval.adminKeyId,
      devices: approval.devices,
      seen: approval.seen,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** Finds which of these campaigns somebody has asked to send. */
export async function findApprovals(db: Db, appId: string, campaignIds: readonly string[]): Promise<Map<string, Approval>> {
  if (campaignIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('approvals')
    .select(columns)
    .where('app_id', '=', appId)
    .where('campaign_id', '=', sql<string>`any(${[...campaignIds]})`)
    .execute()
  return new Map(
    rows.map((row) => [
      row.campaign_id,
      {
        campaignId: row.campaign_id,
        askedBy: row.asked_by,
        sessionId: row.session_id,
        adminKeyId: row.admin_key_id,
        devices: row.devices,
        seen: row.seen,
        at: row.asked_at.toISOString(),
      },
    ]),
  )
}

/** A confirmation may take this long. When its gateway dies, the draft can be changed and confirmed again after this time. */
const confirmingSeconds = 30

/** Begins a confirmation; gives false when another one is under way, or nobody asks any more. */
export async function beginConfirming(db: Db, { appId, campaignId }: Of): Promise<boolean> {
  const begun = await db
    .updateTable('approvals')
    .set({ confirming_until: sql<Date>`now() + make_interval(secs => ${confirmingSeconds})` })
    .where('app_id', '=', appId)
    .where('campaign_id', '=', campaignId)
    .where(sql<boolean>`confirming_until is null or confirming_until < now()`)
    .returning('campaign_id')
    .executeTakeFirst()
  return begun !== undefined
}

/** Ends a confirmation that was refused: the campaign is asked for as before. */
export const endConfirming = (db: Db, { appId, campaignId }: Of): Promise<unknown> =>
  db.updateTable('approvals').set({ confirming_until: null }).where('app_id', '=', appId).where('campaign_id', '=', campaignId).execute()

/** Deletes what was asked, unless its confirmation is under way; gives false when it is. */
export async function withdrawApproval(db: Db, { appId, campaignId }: Of): Promise<boolean> {
  const { rows } = await sql<{ isConfirming: boolean }>`
    with withdrawn as (
      delete from approvals where app_id = ${appId} and campaign_id = ${campaignId}
        and (confirming_until is null or confirming_until < now())
      returning campaign_id
    )
    select count(*) > (select count(*) from withdrawn) as "isConfirming"
    from approvals where app_id = ${appId} and campaign_id = ${campaignId}`.execute(db)
  return rows[0]?.isConfirming !== true
}

/** Deletes what was asked, because the campaign was sent, taken back or deleted. */
export const deleteApproval = (db: Db, { appId, campaignId }: Of): Promise<unknown> =>
  db.deleteFrom('approvals').where('app_id', '=', appId).where('campaign_id', '=', campaignId).execute()
