import { failCampaign } from '@herald/contracts/calls/campaigns'
import { reportQueued } from '@herald/contracts/calls/tracker'
import { Fault } from '@herald/contracts/fault'
import type { Audience } from './audience.ts'
import { markTold } from './store/fan-outs.ts'
import type { FanOut } from './store/tables.ts'

/**
 * Tells the others how far a fan-out has come: the tracker its totals (cumulative, so a repeat changes nothing), campaigns its
 * failure. Answers whether they know now; if not, nothing may go out for it yet, and the sweep comes back to it.
 */
export async function tellTotals({ db, bus, log }: Audience, fanOut: FanOut): Promise<boolean> {
  if (fanOut.told_page >= fanOut.page) return true
  try {
    if (fanOut.state === 'failed') await tellFailure(bus, fanOut)
    else await tellQueued(bus, fanOut)
  } catch (error) {
    if (!Fault.is(error)) throw error
    log.debug({ campaignId: fanOut.campaign_id, code: error.code }, 'totals not told yet')
    return false
  }
  await markTold(db, fanOut)
  return true
}

async function tellQueued(bus: Audience['bus'], fanOut: FanOut): Promise<void> {
  // Settled meanwhile: then the tracker has heard the last totals already.
  if (!fanOut.send) return
  await bus.call(reportQueued, {
    campaignId: fanOut.campaign_id,
    appId: fanOut.app_id,
    day: fanOut.day,
    name: fanOut.send.name,
    transactional: fanOut.send.transactional,
    byPlatform: { ios: fanOut.queued_ios, android: fanOut.queued_android, web: fanOut.queued_web },
    fannedOut: fanOut.state === 'fanned_out',
  })
}

async function tellFailure(bus: Audience['bus'], { campaign_id, failure }: FanOut): Promise<void> {
  await bus.call(failCampaign, {
    campaignId: campaign_id,
    ...(failure ?? { code: 'internal', message: 'The send could not be fanned out.' }),
  })
}
