import type { Db } from '../store/tables.ts'
import { findFormerDevices } from './store/former-devices.ts'

const atOnce = 500

/** Lists a page of the devices that have left an identified user (for another user, or because they were deleted), in the order of their ids. */
export async function listFormerDevices(
  { db }: { db: Db },
  asked: { appId: string; userId: string; after: string | null },
): Promise<{ subscriptionIds: string[]; next: string | null }> {
  const subscriptionIds = await findFormerDevices(db, { ...asked, limit: atOnce })
  return { subscriptionIds, next: subscriptionIds.length === atOnce ? (subscriptionIds.at(-1) ?? null) : null }
}
