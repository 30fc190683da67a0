import { transact } from '@herald/service/postgres'
import { eventsOf } from './core/batch.ts'
import { eraseBodies, insertErasedUser } from './store/bodies.ts'
import type { Db } from './store/tables.ts'
import { insertWaiting } from './store/waiting-events.ts'

/**
 * Takes away every body that names the user (spec: webhooks/erasure). A delivery that was still on its way ends as `erased`, because its bytes may
 * not change; its events wait again, with ids only, so that nobody else's are lost. Repeatable.
 */
export function eraseUser(
  { db, mostBytes }: { db: Db; mostBytes: number },
  user: { appId: string; userId: string },
): Promise<Record<string, never>> {
  return transact(db, async (trx) => {
    await insertErasedUser(trx, user)
    const unsent = await eraseBodies(trx, user)
    await insertWaiting(
      trx,
      unsent.flatMap(({ endpointId, body }) =>
        eventsOf(body).map(({ eventId, waiting }) => ({ endpointId, eventId, userId: waiting.user_id, event: waiting.event })),
      ),
      mostBytes,
    )
    return {}
  })
}
