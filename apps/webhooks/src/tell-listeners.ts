import { hearAudienceListeners } from '@herald/contracts/calls/audience'
import { hearTrackerListeners } from '@herald/contracts/calls/tracker'
import { failsEverybody } from '@herald/service/health'
import { transact } from '@herald/service/postgres'
import { findDueListeners, markListenersTold, putOffListeners, renewListeners } from './store/listened-apps.ts'
import type { Webhooks } from './webhooks.ts'

/** One call tells of at most this many apps. */
const appsAtOnce = 200

/**
 * Tells tracker and audience which events of these apps an endpoint or a watching gateway asks for. Both have then stored it and announce every such
 * event. Fault `queue_unavailable` when one did not answer; the sweep tells both again.
 */
export async function tellListeners({ db, bus }: Pick<Webhooks, 'db' | 'bus'>, appIds: string[]): Promise<void> {
  const tellings = await transact(db, (trx) => renewListeners(trx, appIds))
  if (tellings.length === 0) return
  const listeners = tellings.map(({ isWatched: _isWatched, ...listener }) => listener)
  await Promise.all([bus.call(hearTrackerListeners, { listeners }), bus.call(hearAudienceListeners, { listeners })])
  await markListenersTold(db, tellings)
}

/**
 * Gives the sweep that tells tracker and audience of apps whose endpoints have changed, whose watch has ended, or that were told ten minutes ago.
 * After a failure, half as many, until the refused one is alone.
 */
export function openListenerSweep({ db, bus, log }: Pick<Webhooks, 'db' | 'bus' | 'log'>): () => Promise<{ took: number }> {
  let atOnce = appsAtOnce
  return async () => {
    const appIds = await findDueListeners(db, atOnce)
    if (appIds.length === 0) return { took: 0 }
    try {
      await tellListeners({ db, bus }, appIds)
      atOnce = Math.min(appsAtOnce, atOnce * 2)
      return { took: appIds.length }
    } catch (error) {
      if (failsEverybody(error)) throw error
      const line = 'tracker or audience does not know which events are asked for; told again in 5 s'
      log.warn({ appId: appIds[0], apps: appIds.length, err: error }, line)
      atOnce = Math.max(1, Math.floor(appIds.length / 2))
      await putOffListeners(db, appIds)
      return { took: 0 }
    }
  }
}
