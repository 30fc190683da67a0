import type { FrozenSend } from '@herald/contracts/batch'
import { failCampaign, fanOutStarted } from '@herald/contracts/calls/campaigns'
import { reportQueued, type QueuedReport } from '@herald/contracts/calls/tracker'
import { packIds } from '@herald/contracts/compact-ids'
import { failsEverybody } from '@herald/service/health'
import type { Audience } from '../audience.ts'
import { isAway } from './page-failure.ts'
import { applyFlow } from './change-flow.ts'
import type { MadeBatch } from '../delivery/store/batches.ts'
import { markTold } from './store/fan-outs.ts'
import type { FanOut } from '../store/tables.ts'
import { findUntoldBatches } from './store/untold-batches.ts'

/**
 * Tells the others how far a fan-out has come: campaigns that it has started (whose answer may pause or cancel it before anything
 * goes out) or its failure, the tracker its totals and which batches were made (a repeat changes nothing). `made`: those of the page that was
 * just cut; who comes back after a crash reads them from their rows. Answers whether they know now; if not, nothing may go out for it yet, and
 * the sweep comes back to it.
 */
export async function tellTotals(audience: Audience, fanOut: FanOut, made?: MadeBatch[]): Promise<boolean> {
  if (fanOut.told_page >= fanOut.page) return true
  const { bus, log } = audience
  const tell = () => tellQueued(audience, fanOut, made)
  try {
    if (fanOut.state === 'failed') {
      await tellFailure(bus, fanOut)
      // What was queued before it failed is the last of it: the tracker settles the campaign when that has its outcomes.
      if (fanOut.told_page > 0) await tell()
    } else {
      if (fanOut.told_page === 0) await tellStart(audience, fanOut)
      await tell()
    }
  } catch (error) {
    // Without the database nothing goes on. What fails for reasons of its own is told again by the sweep, and stops nobody else's.
    if (failsEverybody(error)) throw error
    log[isAway(error) ? 'debug' : 'warn']({ campaignId: fanOut.campaign_id, err: error }, 'totals not told yet')
    return false
  }
  await audience.commit({ campaignId: fanOut.campaign_id, appId: fanOut.app_id }, (trx) => markTold(trx, fanOut))
  return true
}

/** Tells campaigns that a send has started, and does what it answers: the send may have been paused or cancelled meanwhile. */
export async function tellStart(audience: Audience, { campaign_id, flow_no }: FanOut): Promise<void> {
  const [change] = (await audience.bus.call(fanOutStarted, { campaignIds: [campaign_id] })).flows
  if (change && change.no > flow_no) await applyFlow(audience, campaign_id, change)
}

async function tellQueued({ bus, db }: Audience, fanOut: FanOut, made: MadeBatch[] = []): Promise<void> {
  // Settled meanwhile: then the tracker has heard the last totals already.
  if (!fanOut.send) return
  const isWhole = made.length === fanOut.batches - fanOut.told_batches
  const batches = isWhole ? made : await findUntoldBatches(db, fanOut)
  await bus.call(reportQueued, { reports: [reportOf(fanOut, fanOut.send, batches)] })
}

/** What the tracker is told of a fan-out, with its batches that it does not know yet. */
export const reportOf = (
  fanOut: FanOut,
  { name, transactional, test }: FrozenSend,
  batches: Pick<MadeBatch, 'no' | 'platform' | 'subscriptionIds' | 'userIds'>[],
): QueuedReport => ({
  campaignId: fanOut.campaign_id,
  appId: fanOut.app_id,
  day: fanOut.day,
  name,
  transactional,
  ...(test && { test }),
  byPlatform: { ios: fanOut.queued_ios, android: fanOut.queued_android, web: fanOut.queued_web },
  fannedOut: fanOut.state === 'fanned_out' || fanOut.state === 'failed',
  batches: batches.map(({ no, platform, subscriptionIds, userIds }) => {
    return { no, platform, subscriptionIds: packIds(subscriptionIds), userIds: packIds(userIds) }
  }),
})

async function tellFailure(bus: Audience['bus'], { campaign_id, failure }: FanOut): Promise<void> {
  await bus.call(failCampaign, {
    campaignId: campaign_id,
    ...(failure ?? { code: 'internal', message: 'The send could not be fanned out.' }),
  })
}
