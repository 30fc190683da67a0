import { invalidField } from '@herald/contracts/fault'
import { readCursor, writeCursor } from './core/page-cursor.ts'
import { findNotified, type Notified } from './find-notified.ts'
import type { Db } from './store/tables.ts'

/** A portion of an app's accepted pushes, newest campaign first. `next`: where the next begins; null: there is none. Fault: invalid_body at `after`. */
export async function readNotified(
  { db, retentionDays }: { db: Db; retentionDays: number },
  { appId, after }: { appId: string; after: string | null },
): Promise<{ notified: Notified[]; next: string | null }> {
  const place = after === null ? undefined : readCursor(after)
  if (after !== null && !place) throw invalidField('after', 'must be the next of an earlier answer')
  const { notified, examinedTo } = await findNotified(db, { appId, after: place, retentionDays })
  return { notified, next: examinedTo ? writeCursor(examinedTo) : null }
}
