import type { LedgerRow } from '@herald/contracts/calls/tracker'
import type { EngagementKind } from '@herald/contracts/event'
import { invalidField } from '@herald/contracts/fault'
import { firstPlaceBefore, readCursor, writeCursor } from './core/page-cursor.ts'
import { findEngagements } from './store/engagements.ts'
import { findPushes, type FoundPush } from './find-pushes.ts'
import type { PushFilter } from './store/pushes.ts'
import type { Db } from './store/tables.ts'

/** A page of an app's ledger, newest campaign first. Faults: invalid_body at `cursor`. */
export async function listPushes(
  { db, retentionDays }: { db: Db; retentionDays: number },
  { cursor, ...asked }: Omit<PushFilter, 'after' | 'retentionDays'> & { cursor?: string | undefined },
): Promise<{ items: LedgerRow[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  if (cursor !== undefined && !after) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  // What was made after the time that is asked for is passed over at once.
  const begin = after ?? (asked.to === undefined ? undefined : firstPlaceBefore(new Date(asked.to)))
  const { page, examinedTo } = await findPushes(db, { ...asked, after: begin, retentionDays })
  const pushes = page.map(({ row, campaignId, subscriptionId }) => ({ day: row.day, campaignId, subscriptionId }))
  const reported = page.length === 0 ? new Map<string, EngagementKind[]>() : await findEngagements(db, pushes)
  const items = page.map((push) => ledgerRow(push, reported.get(push.campaignId + push.subscriptionId) ?? []))
  return { items, nextCursor: examinedTo ? writeCursor(examinedTo) : null }
}

export const ledgerRow = ({ campaignId, subscriptionId, userId, row, end }: FoundPush, engagements: EngagementKind[]): LedgerRow => ({
  campaignId,
  subscriptionId,
  userId,
  platform: row.platform,
  variant: orNull(end.variant),
  outcome: end.outcome,
  code: orNull(end.code),
  providerCode: orNull(end.providerCode),
  attempts: end.attempts,
  settledAt: new Date(end.at).toISOString(),
  engagements,
})

const orNull = (text: string): string | null => (text === '' ? null : text)
