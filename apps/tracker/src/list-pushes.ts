import type { LedgerRow } from '@herald/contracts/calls/tracker'
import type { EngagementKind } from '@herald/contracts/event'
import { invalidField } from '@herald/contracts/fault'
import { readCursor, writeCursor } from './core/page-cursor.ts'
import { findEngagements } from './store/engagements.ts'
import { findPushes, findPushesOfDevice, pushKey, type LedgerFilter, type LedgerPage } from './store/ledger.ts'
import type { Db } from './store/tables.ts'

/** A page of an app's ledger, newest campaign first. Faults: invalid_body at `cursor`. */
export async function listPushes(
  { db, retentionDays }: { db: Db; retentionDays: number },
  { cursor, ...asked }: Omit<LedgerFilter, 'after' | 'retentionDays'> & { cursor?: string | undefined },
): Promise<{ items: LedgerRow[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  if (cursor !== undefined && !after) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  const { subscriptionId, ...rest } = asked
  const filter = { ...rest, after, retentionDays }
  const { page, examinedTo } =
    subscriptionId === undefined ? await findPushes(db, filter) : await findPushesOfDevice(db, { ...filter, subscriptionId })
  const reported = page.length === 0 ? new Map<string, EngagementKind[]>() : await findEngagements(db, page)
  const items = page.map((row) => ledgerRow(row, reported.get(pushKey(row.campaign_id, row.subscription_id)) ?? []))
  return { items, nextCursor: examinedTo ? writeCursor(examinedTo) : null }
}

const ledgerRow = (row: LedgerPage['page'][number], engagements: EngagementKind[]): LedgerRow => ({
  campaignId: row.campaign_id,
  subscriptionId: row.subscription_id,
  userId: row.user_id,
  platform: row.platform,
  variant: orNull(row.variant),
  outcome: row.outcome,
  code: orNull(row.code),
  providerCode: orNull(row.provider_code),
  attempts: row.attempts,
  settledAt: row.settled_at.toISOString(),
  engagements,
})

const orNull = (text: string): string | null => (text === '' ? null : text)
