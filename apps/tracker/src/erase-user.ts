import { deleteConversionsOfUser, markUserErased } from './store/conversions.ts'
import { deleteInboxOfUser } from './store/inbox.ts'
import type { Tracker } from './tracker.ts'

/**
 * Deletes what the tracker keeps of an erased user (spec: conversions/erased, inbox/erased). The counters of campaigns stay: they name nobody. The mark comes first, so that
 * a report under way writes nothing afterwards.
 */
export async function eraseUser(
  { db }: Pick<Tracker, 'db'>,
  { appId, userId }: { appId: string; userId: string },
): Promise<Record<string, never>> {
  await markUserErased(db, userId)
  await deleteConversionsOfUser(db, { appId, userId })
  await deleteInboxOfUser(db, { appId, userId })
  return {}
}
