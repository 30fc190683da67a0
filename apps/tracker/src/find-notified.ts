import type { PushPlace } from './core/page-cursor.ts'
import { findPushes } from './find-pushes.ts'
import type { Db } from './store/tables.ts'

/** Pushes of one portion. */
const portion = 5_000
/** Of a device its newest so many are looked at: one of an older campaign may have been accepted later, by a wave or a retry. */
const newestPushes = 20

/** Devices by the moment at which a push was accepted for them; of one device there may be several. */
export type Notified = { at: string; subscriptionIds: string[] }

/** A portion of an app's accepted pushes, newest campaign first, after a place; `examinedTo` undefined: that was all. */
export async function findNotified(
  db: Db,
  { appId, after, retentionDays }: { appId: string; after: PushPlace | undefined; retentionDays: number },
): Promise<{ notified: Notified[]; examinedTo: PushPlace | undefined }> {
  const { page, examinedTo } = await findPushes(db, { appId, outcome: 'sent', after, limit: portion, retentionDays })
  const byMoment = Map.groupBy(page, ({ end }) => end.at)
  const notified = [...byMoment].map(([at, pushes]) => {
    return { at: new Date(at).toISOString(), subscriptionIds: pushes.map(({ subscriptionId }) => subscriptionId) }
  })
  return { notified, examinedTo }
}

/** When the newest push of each of these devices was accepted, of those that have any. */
export async function findNewestSent(
  db: Db,
  { appId, subscriptionIds, retentionDays }: { appId: string; subscriptionIds: string[]; retentionDays: number },
): Promise<{ subscriptionId: string; at: string }[]> {
  const found: { subscriptionId: string; at: string }[] = []
  for (const subscriptionId of subscriptionIds) {
    const filter = { appId, subscriptionId, outcome: 'sent' as const, limit: newestPushes, retentionDays }
    let { page, examinedTo } = await findPushes(db, filter)
    // A page looks at a bounded part of the app's history, and may find nothing in it.
    while (page.length === 0 && examinedTo) ({ page, examinedTo } = await findPushes(db, { ...filter, after: examinedTo }))
    if (page.length > 0) found.push({ subscriptionId, at: new Date(Math.max(...page.map(({ end }) => end.at))).toISOString() })
  }
  return found
}
