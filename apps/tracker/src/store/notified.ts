import type { LedgerPlace } from './ledger.ts'
import { findPushes, findPushesOfDevice } from './ledger.ts'
import type { Db } from './tables.ts'

/** Pushes of one portion. */
const portion = 5_000
/** Of a device its newest so many are looked at: one of an older campaign may have been accepted later, by a wave or a retry. */
const newestPushes = 20

/** Devices by the moment at which a push was accepted for them; of one device there may be several. */
export type Notified = { at: string; subscriptionIds: string[] }

/** A portion of an app's accepted pushes, newest campaign first, after a place; `examinedTo` undefined: that was all. */
export async function findNotified(
  db: Db,
  { appId, after, retentionDays }: { appId: string; after: LedgerPlace | undefined; retentionDays: number },
): Promise<{ notified: Notified[]; examinedTo: LedgerPlace | undefined }> {
  const { page, examinedTo } = await findPushes(db, { appId, outcome: 'sent', after, limit: portion, retentionDays })
  const byMoment = Map.groupBy(page, ({ settled_at }) => settled_at.toISOString())
  const notified = [...byMoment].map(([at, rows]) => ({ at, subscriptionIds: rows.map(({ subscription_id }) => subscription_id) }))
  return { notified, examinedTo }
}

/** When the newest push of each of these devices was accepted, of those that have any. */
export async function findNewestSent(
  db: Db,
  { appId, subscriptionIds, retentionDays }: { appId: string; subscriptionIds: string[]; retentionDays: number },
): Promise<{ subscriptionId: string; at: string }[]> {
  const found: { subscriptionId: string; at: string }[] = []
  for (const subscriptionId of subscriptionIds) {
    const { page } = await findPushesOfDevice(db, { appId, subscriptionId, outcome: 'sent', limit: newestPushes, retentionDays })
    const [newest] = page.map(({ settled_at }) => settled_at).toSorted((one, other) => other.getTime() - one.getTime())
    if (newest) found.push({ subscriptionId, at: newest.toISOString() })
  }
  return found
}
