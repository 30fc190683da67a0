import { invalidField } from '@herald/contracts/fault'
import { readCursor, writeCursor } from './core/page-cursor.ts'
import { findPushes } from './find-pushes.ts'
import type { Ledger } from './tracker.ts'

const portion = 5_000
/**
 * For each device at most this many sent pushes are compared, those of the newest campaigns. One is not enough, because with waves and retries a push
 * of an older campaign may have been sent last.
 */
const newestPushes = 20

/** Devices to each of which a push was sent. `at`: when the tracker recorded that. A device may be in several entries. */
export type Notified = { at: string; subscriptionIds: string[] }

/** Gives a portion of an app's sent pushes, newest campaign first, and where the next begins: null after the last. Fault: invalid_body at `after`. */
export async function readNotified(
  { db, retentionDays }: Ledger,
  { appId, after }: { appId: string; after: string | null },
): Promise<{ notified: Notified[]; next: string | null }> {
  const place = after === null ? undefined : readCursor(after)
  if (after !== null && !place) throw invalidField('after', 'must be the next of an earlier answer')
  const { page, examinedTo } = await findPushes(db, { appId, outcome: 'sent', after: place, limit: portion, retentionDays })
  const byMoment = Map.groupBy(page, ({ end }) => end.at)
  const notified = [...byMoment].map(([at, pushes]) => {
    return { at: new Date(at).toISOString(), subscriptionIds: pushes.map(({ subscriptionId }) => subscriptionId) }
  })
  return { notified, next: examinedTo ? writeCursor(examinedTo) : null }
}

/** Finds, for each device, when the tracker recorded that its last push was sent. A device without a sent push is left out. */
export async function findLastNotified(
  { db, retentionDays }: Ledger,
  { appId, subscriptionIds }: { appId: string; subscriptionIds: string[] },
): Promise<{ notified: { subscriptionId: string; at: string }[] }> {
  const notified: { subscriptionId: string; at: string }[] = []
  for (const subscriptionId of subscriptionIds) {
    const filter = { appId, subscriptionId, outcome: 'sent' as const, limit: newestPushes, retentionDays }
    let { page, examinedTo } = await findPushes(db, filter)
    // A page examines a bounded part of the app's history, so it may be empty although older pushes exist.
    while (page.length === 0 && examinedTo) ({ page, examinedTo } = await findPushes(db, { ...filter, after: examinedTo }))
    if (page.length > 0) notified.push({ subscriptionId, at: new Date(Math.max(...page.map(({ end }) => end.at))).toISOString() })
  }
  return { notified }
}
