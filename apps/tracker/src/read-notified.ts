import { invalidField } from '@herald/contracts/fault'
import { readCursor, writeCursor } from './core/page-cursor.ts'
import { findPushes } from './find-pushes.ts'
import type { Tracker } from './tracker.ts'

type Reading = Pick<Tracker, 'db' | 'retentionDays'>

/** Pushes in one portion. */
const portion = 5_000
/** The newest pushes of a device that are looked at: a wave or a retry may make an older campaign the one that was accepted last. */
const newestPushes = 20

/** Devices for which a push was accepted at one moment. A device may be in several of them. */
export type Notified = { at: string; subscriptionIds: string[] }

/**
 * A portion of an app's accepted pushes, newest campaign first. `next`: where the next portion begins; null after the last one. Fault:
 * invalid_body at `after`.
 */
export async function readNotified(
  { db, retentionDays }: Reading,
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

/** Finds when the newest push of each device was accepted. A device without an accepted push is left out. */
export async function findLastNotified(
  { db, retentionDays }: Reading,
  { appId, subscriptionIds }: { appId: string; subscriptionIds: string[] },
): Promise<{ notified: { subscriptionId: string; at: string }[] }> {
  const notified: { subscriptionId: string; at: string }[] = []
  for (const subscriptionId of subscriptionIds) {
    const filter = { appId, subscriptionId, outcome: 'sent' as const, limit: newestPushes, retentionDays }
    let { page, examinedTo } = await findPushes(db, filter)
    // A page looks at a bounded part of the app's history and may find nothing in it.
    while (page.length === 0 && examinedTo) ({ page, examinedTo } = await findPushes(db, { ...filter, after: examinedTo }))
    if (page.length > 0) notified.push({ subscriptionId, at: new Date(Math.max(...page.map(({ end }) => end.at))).toISOString() })
  }
  return { notified }
}
