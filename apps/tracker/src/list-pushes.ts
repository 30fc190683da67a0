import type { LedgerRow } from '@herald/contracts/calls/tracker'
import type { EngagementKind } from '@herald/contracts/event'
import { invalidField } from '@herald/contracts/fault'
import { firstPlaceBefore, inListOrder, readCursor, writeCursor } from './core/page-cursor.ts'
import { findPushes, type FoundPush } from './find-pushes.ts'
import { findEngagements } from './store/engagements.ts'
import type { PushFilter } from './store/pushes.ts'
import type { Db } from './store/tables.ts'
import type { Ledger } from './tracker.ts'

/** Lists, page by page, an app's pushes that have an outcome, newest campaign first. Fault: invalid_body at `cursor`. */
export async function listPushes(
  { db, retentionDays }: Ledger,
  { cursor, ...asked }: Omit<PushFilter, 'after' | 'retentionDays'> & { cursor?: string | undefined },
): Promise<{ items: LedgerRow[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  if (cursor !== undefined && !after) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  // A campaign that was made after `to` has no push that ended before it, so the list begins after such campaigns.
  const begin = after ?? (asked.to === undefined ? undefined : firstPlaceBefore(new Date(asked.to)))
  const { page, examinedTo } = await findPushes(db, { ...asked, after: begin, retentionDays })
  return { items: await ledgerRows(db, page), nextCursor: examinedTo ? writeCursor(examinedTo) : null }
}

/** After this time `newestPushes` begins with no further device. */
const devicesWithinMs = 1_500

/**
 * Gives at most `limit` pushes of a user to these devices that have an outcome, newest campaign first. Each device costs one bounded page; a search
 * by the user alone would go through all large sends of the app.
 */
export async function newestPushes(
  { db, retentionDays }: Ledger,
  { appId, userId, subscriptionIds, limit }: { appId: string; userId: string; subscriptionIds: string[]; limit: number },
): Promise<{ pushes: LedgerRow[] }> {
  const until = performance.now() + devicesWithinMs
  const found: FoundPush[] = []
  for (const subscriptionId of subscriptionIds) {
    if (performance.now() > until) break
    found.push(...(await findPushes(db, { appId, userId, subscriptionId, limit, retentionDays })).page)
  }
  return { pushes: await ledgerRows(db, found.toSorted(inListOrder).slice(0, limit)) }
}

async function ledgerRows(db: Db, page: FoundPush[]): Promise<LedgerRow[]> {
  const pushes = page.map(({ row, campaignId, subscriptionId }) => ({ day: row.day, campaignId, subscriptionId }))
  const reported = await findEngagements(db, pushes)
  return page.map((push) => ledgerRow(push, reported.get(push.campaignId + push.subscriptionId) ?? []))
}

const ledgerRow = ({ campaignId, subscriptionId, userId, row, end }: FoundPush, engagements: EngagementKind[]): LedgerRow => ({
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
