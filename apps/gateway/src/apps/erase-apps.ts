import type { Call } from '@herald/contracts/call'
import { eraseAudienceOfApp } from '@herald/contracts/calls/audience'
import { eraseCampaignsOfApp } from '@herald/contracts/calls/campaigns'
import { eraseTrackerOfApp } from '@herald/contracts/calls/tracker'
import { eraseWebhooksOfApp } from '@herald/contracts/calls/webhooks'
import { Fault } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import { deleteAppRows } from './store/apps.ts'
import { againAt, deleteAppErasure, lockApp, takeDueAppErasures, type AppErasure, type ErasingApp } from './store/app-erasures.ts'
import type { Tables } from '../store/tables.ts'

const eraseIn: Record<ErasingApp, Call<{ appId: string }, { done: boolean }>> = {
  campaigns: eraseCampaignsOfApp,
  audience: eraseAudienceOfApp,
  tracker: eraseTrackerOfApp,
  webhooks: eraseWebhooksOfApp,
}
/**
 * One sweep works on at most this many erasures at once. An erasure stands for all that one service has of one deleted app; each call for it erases
 * at most about 5,000 rows in that service.
 */
const atOnce = 4

type Needs = { db: Kysely<Tables>; bus: Bus; log: Log }

/**
 * Asks campaigns, audience, tracker and webhooks to erase what they have of deleted apps. A later sweep asks services that were not `done` again.
 * After the last `done` the gateway deletes its own rows, except the audit.
 */
export async function eraseApps(needs: Needs): Promise<{ took: number }> {
  const due = await takeDueAppErasures(needs.db, atOnce)
  await Promise.all(due.map((erasure) => eraseOne(needs, erasure)))
  return { took: due.length }
}

async function eraseOne({ db, bus, log }: Needs, erasure: AppErasure): Promise<void> {
  const { appId, app } = erasure
  try {
    const { done } = await bus.call(eraseIn[app], { appId })
    if (!done) return void (await againAt(db, erasure))
  } catch (error) {
    // The erasure stays in the table, and a later sweep tries again.
    if (!Fault.is(error, 'queue_unavailable') && !Fault.is(error, 'database_unavailable'))
      log.error({ appId, app, err: error }, 'a service did not erase a deleted app; the gateway asks it again')
    return
  }
  const isLast = await transact(db, async (trx) => {
    // Two services may answer at the same moment. The lock on the app's row makes exactly one of the answers the last.
    await lockApp(trx, appId)
    const left = await deleteAppErasure(trx, erasure)
    if (left === 0) await deleteAppRows(trx, appId)
    return left === 0
  })
  log.info({ appId, app, isLast }, 'a service erased a deleted app')
}
