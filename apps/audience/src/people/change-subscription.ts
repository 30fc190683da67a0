import type { PatchSubscription, SessionBody } from '@herald/contracts/subscription'
import { notFound } from '@herald/contracts/fault'
import { transact } from '@herald/service/postgres'
import { setBadge } from '../store/badges.ts'
import type { Db } from '../store/tables.ts'
import { lockSubscription, patchSubscription, startSession } from './store/subscriptions.ts'

/** Changes the fields of a device that a PATCH request names. Fault: not_found. */
export async function changeSubscription(
  { db }: { db: Db },
  request: { appId: string; subscriptionId: string; changes: PatchSubscription },
): Promise<{ id: string; optedIn: boolean }> {
  const { badge, ...changes } = request.changes
  const changed =
    badge === undefined
      ? await patchSubscription(db, request)
      : await transact(db, async (trx) => {
          const found = await lockSubscription(trx, { appId: request.appId, id: request.subscriptionId })
          if (found) await setBadge(trx, request, badge)
          return found && patchSubscription(trx, { ...request, changes })
        })
  if (!changed) throw notFound()
  return changed
}

/** Stores that the mobile app or web page on a device came to the foreground, which may begin a new session. Fault: not_found. */
export async function beginSession(
  { db }: { db: Db },
  request: { appId: string; subscriptionId: string; session: SessionBody },
): Promise<{ id: string; sessionCount: number; lastSessionAt: string }> {
  const begun = await startSession(db, request)
  if (!begun) throw notFound()
  return { ...begun, lastSessionAt: begun.lastSessionAt.toISOString() }
}
