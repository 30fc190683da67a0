import { transact } from '@herald/service/postgres'
import { deleteErasedUsers, deleteOfEndpoints } from './store/bodies.ts'
import { deleteEndpoints, markAllDeleted } from './store/endpoints.ts'
import { deleteEventsOfApp } from './store/events.ts'
import { deleteListenersOf } from './store/listened-apps.ts'
import { deleteLog, lockLogs } from './store/logs.ts'
import type { Webhooks } from './webhooks.ts'

/** One call deletes at most this many deliveries and this many events. A delivery may take 40 kB of body with it. */
const portion = 1_000

/**
 * Deletes what webhooks stores of an app, a part with every call. The first call marks the endpoints as deleted under the event log's lock, so no
 * event is inserted and no delivery made from then on.
 */
export const eraseApp = ({ db }: Pick<Webhooks, 'db'>, { appId }: { appId: string }): Promise<{ done: boolean }> =>
  transact(db, async (trx) => {
    await lockLogs(trx, [appId])
    const endpointIds = await markAllDeleted(trx, appId)
    const deliveries = await deleteOfEndpoints(trx, endpointIds, portion)
    const events = await deleteEventsOfApp(trx, appId, portion)
    if (deliveries + events > 0) return { done: false }
    await deleteEndpoints(trx, endpointIds)
    await deleteLog(trx, appId)
    await deleteErasedUsers(trx, appId)
    await deleteListenersOf(trx, appId)
    return { done: true }
  })
