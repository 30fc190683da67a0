import { deleteConversionsOfUser, markUserErased } from './store/conversions.ts'
import type { Tracker } from './tracker.ts'

/**
 * Deletes the conversions of an erased user (spec: conversions/erased). The counters of campaigns stay: they name nobody. The mark comes first, so that
 * a report under way writes nothing afterwards.
 */
export async function eraseUser(
  { db }: Pick<Tracker, 'db'>,
  { appId, userId }: { appId: string; userId: string },
): Promise<Record<string, never>> {
  await markUserErased(db, userId)
  await deleteConversionsOfUser(db, { appId, userId })
  return {}
}
