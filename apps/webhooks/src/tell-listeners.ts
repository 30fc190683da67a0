import { hearAudienceListeners } from '@herald/contracts/calls/audience'
import { hearTrackerListeners } from '@herald/contracts/calls/tracker'
import { Fault } from '@herald/contracts/fault'
import { transact } from '@herald/service/postgres'
import { findDueListeners, markListenersTold, renewListeners } from './store/listened-apps.ts'
import type { Webhooks } from './webhooks.ts'

/** One call tells of at most this many apps. */
const appsAtOnce = 200

/**
 * Tells tracker and audience which events of these apps an endpoint or a watching gateway asks for. When it returns, both have stored this, and
 * announce every such event from then on. Fault `queue_unavailable` when one of them did not answer; the sweep then tells both again.
 */
export async function tellListeners({ db, bus }: Pick<Webhooks, 'db' | 'bus'>, appIds: string[]): Promise<void> {
  const tellings = await transact(db, (trx) => renewListeners(trx, appIds))
  if (tellings.length === 0) return
  const listeners = tellings.map(({ isWatched: _isWatched, ...listener }) => listener)
  await Promise.all([bus.call(hearTrackerListeners, { listeners }), bus.call(hearAudienceListeners, { listeners })])
  await markListenersTold(db, tellings)
}

/**
 * Tells tracker and audience of the apps whose endpoints have changed since both were last told, of apps whose watch has ended, and every ten minutes
 * of all other apps that had an endpoint or a watch.
 */
export async function sweepListeners(webhooks: Pick<Webhooks, 'db' | 'bus'>): Promise<{ took: number }> {
  const appIds = await findDueListeners(webhooks.db, appsAtOnce)
  if (appIds.length === 0) return { took: 0 }
  // When tracker or audience does not answer, both are told again 5 s later.
  await tellListeners(webhooks, appIds).catch((error: unknown) => {
    if (!Fault.is(error, 'queue_unavailable')) throw error
  })
  return { took: appIds.length }
}
