import { queueUnavailable } from '@herald/contracts/fault'
import { transact } from '@herald/service/postgres'
import { newDeliveryId, withoutExternalId } from './core/batch.ts'
import { eraseDeliveries, findBodiesOfUser, insertBodies, insertErasedUser } from './store/bodies.ts'
import { insertDeliveries } from './store/deliveries.ts'
import { lockLogs } from './store/logs.ts'
import { changeQueues, lockQueues } from './store/queues.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Deletes every body that names the user (spec: webhooks/erasure). Its pending deliveries end as `erased`; its events go out again without the user's
 * external id. Fault: `queue_unavailable` when bodies are left, of which a repeat deletes the next.
 */
export async function eraseUser({ db }: Pick<Webhooks, 'db'>, user: { appId: string; userId: string }): Promise<Record<string, never>> {
  for (let portion = 0; portion < mostPortions; portion += 1) if (await erasePortion(db, user)) return {}
  throw queueUnavailable()
}

/**
 * One transaction deletes this many bodies, of up to 100 events each. While it lasts no event of the app is stored, so it must be short.
 */
const bodiesAtOnce = 100
/** One call deletes at most this many portions, in far less than the 3 s that its caller waits. */
const mostPortions = 10

/** Deletes a portion of the bodies that name a user. Gives whether none is left. */
function erasePortion(db: Webhooks['db'], user: { appId: string; userId: string }): Promise<boolean> {
  return transact(db, async (trx) => {
    await lockLogs(trx, [user.appId])
    await insertErasedUser(trx, user)
    const bodies = await findBodiesOfUser(trx, user, bodiesAtOnce)
    if (bodies.length === 0) return true
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
    return bodies.length < bodiesAtOnce
  })
}
