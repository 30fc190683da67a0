import { transact } from '@herald/service/postgres'
import { newDeliveryId, withoutExternalId } from './core/batch.ts'
import { eraseDeliveries, findBodiesOfUser, insertBodies, insertErasedUser } from './store/bodies.ts'
import { insertDeliveries } from './store/deliveries.ts'
import { lockLogs } from './store/logs.ts'
import { changeQueues, lockQueues } from './store/queues.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Deletes every body that names the user (spec: webhooks/erasure). A pending delivery of such a body ends as `erased`, because its bytes may not
 * change. Its events go out in another delivery, whose body lacks the user's external id, so that events of other users are not lost. The call may be
 * repeated.
 */
export function eraseUser({ db }: Pick<Webhooks, 'db'>, user: { appId: string; userId: string }): Promise<Record<string, never>> {
  return transact(db, async (trx) => {
    await lockLogs(trx, [user.appId])
    await insertErasedUser(trx, user)
    const bodies = await findBodiesOfUser(trx, user)
    if (bodies.length === 0) return {}
    const queues = new Map((await lockQueues(trx, [user.appId])).map((queue) => [queue.endpointId, queue]))
    const bodyIds = bodies.map(({ id }) => id)
    const unsent = Map.groupBy(await eraseDeliveries(trx, bodyIds), ({ bodyId }) => bodyId)
    const kept = bodies
      .filter(({ id }) => unsent.has(id))
      .map(({ id, appId, types, eventCount, userIds, events }) => ({
        id,
        key: { appId, types },
        eventCount,
        userIds: userIds.filter((userId) => userId !== user.userId),
        events: withoutExternalId(events, user.userId),
      }))
    const ids = await insertBodies(trx, kept)
    const again = kept.flatMap(({ id, eventCount, events }, place) =>
      (unsent.get(id) ?? []).flatMap(({ endpointId }) => {
        const queue = queues.get(endpointId)
        return queue ? [{ id: newDeliveryId(), endpointId, eventCount, bodyId: ids[place] ?? 0, bytes: events.length, queue }] : []
      }),
    )
    await insertDeliveries(trx, again)
    await changeQueues(
      trx,
      [...Map.groupBy(again, ({ queue }) => queue)].map(([{ endpointId, readings }, of]) => {
        return { endpointId, readings, addedBytes: of.reduce((sum, { bytes }) => sum + bytes, 0) }
      }),
    )
    return {}
  })
}
