import { eventsWatched } from '@herald/contracts/calls/webhooks'
import type { Bus } from '@herald/service/bus'
import { transact } from '@herald/service/postgres'
import { noteListeners, noteWatch } from './store/listened-apps.ts'
import type { Db } from './store/tables.ts'
import { tellListeners } from './tell-listeners.ts'

/**
 * Somebody watches the events of an app for the next 30 seconds. When it returns, tracker and audience announce all of them, and every process of
 * webhooks has been told to show what it takes over. Fault `queue_unavailable`: one of them is away; the sweep tells both again while the watch lasts.
 */
export async function watchEvents(
  { db, bus }: { db: Db; bus: Pick<Bus, 'call' | 'broadcast'> },
  { appId }: { appId: string },
): Promise<Record<string, never>> {
  const isTold = await transact(db, async (trx) => {
    const known = await noteWatch(trx, appId)
    if (!known) await noteListeners(trx, appId)
    return known
  })
  bus.broadcast(eventsWatched, { appId })
  if (!isTold) await tellListeners({ db, bus }, [appId])
  return {}
}
