import type { FrozenSend } from '@herald/contracts/batch'
import { failCampaign, fanOutStarted } from '@herald/contracts/calls/campaigns'
import { reportQueued, type QueuedReport, type UnknownBatch } from '@herald/contracts/calls/tracker'
import { packIds } from '@herald/contracts/compact-ids'
import { failsEverybody } from '@herald/service/health'
import type { Audience } from '../audience.ts'
import { applyFlow } from './change-flow.ts'
import { isAway } from './page-failure.ts'
import { repeatedBriefly } from './repeat-briefly.ts'
import type { FanOut } from './store/fan-outs.ts'
import type { MadeBatch } from './store/made-batches.ts'
import { findToldBatch, findUntoldBatches, markTold } from './store/told.ts'

/**
 * Tells campaigns and the tracker how far a fan-out has come; repeats change nothing. `made`: the last page's batches, otherwise read from their
 * rows. Answers whether both know all; if not, no batch of it may go out.
 */
export async function tellTotals(audience: Audience, fanOut: FanOut, made?: MadeBatch[]): Promise<boolean> {
  if (fanOut.toldPage >= fanOut.page) return true
  const { bus, log } = audience
  const tell = () => repeatedBriefly(() => tellQueued(audience, fanOut, made))
  try {
    if (fanOut.state === 'failed') {
      await tellFailure(bus, fanOut)
      // After a failure nothing more is queued: the tracker settles the campaign when all queued pushes have outcomes.
      if (fanOut.toldPage > 0) await tell()
    } else {
      if (fanOut.toldPage === 0) await repeatedBriefly(() => tellStart(audience, fanOut))
      await tell()
    }
  } catch (error) {
    // When the database is away nothing can go on. A failure that concerns only this fan-out must not stop the others: the sweep tells campaigns and
    // tracker again.
    if (failsEverybody(error)) throw error
    log[isAway(error) ? 'debug' : 'warn']({ campaignId: fanOut.campaignId, err: error }, 'totals not told yet')
    return false
  }
  await audience.commit({ campaignId: fanOut.campaignId, appId: fanOut.appId }, (trx) => markTold(trx, fanOut))
  return true
}

/** Tells campaigns that a send has started. If campaigns answers that the send was paused or cancelled meanwhile, applies that change. */
export async function tellStart(audience: Audience, { campaignId, flowNo }: FanOut): Promise<void> {
  const [change] = (await audience.bus.call(fanOutStarted, { campaignIds: [campaignId] })).flows
  if (change && change.no > flowNo) await applyFlow(audience, campaignId, change)
}

async function tellQueued({ bus, db }: Audience, fanOut: FanOut, made: MadeBatch[] = []): Promise<void> {
  // The frozen send is deleted when its campaign is settled. Then the tracker has the campaign's last totals already.
  if (!fanOut.send) return
  const isWhole = made.length === fanOut.batches - fanOut.toldBatches
  const batches = isWhole ? made : await findUntoldBatches(db, fanOut)
  await bus.call(reportQueued, { reports: [reportOf(fanOut, fanOut.send, batches)] })
}

/**
 * Reports one batch to the tracker again, whose ledger does not know it although it was told. Nothing happens when the frozen send is deleted, since
 * its campaign is settled.
 */
export async function tellAgain({ bus, db, log }: Pick<Audience, 'bus' | 'db' | 'log'>, batch: UnknownBatch): Promise<void> {
  const known = await findToldBatch(db, batch)
  if (!known?.fanOut.send) return
  log.warn(batch, 'the ledger has lost a batch: it is reported again')
  await bus.call(reportQueued, { reports: [reportOf(known.fanOut, known.fanOut.send, [known.made])] })
}

/** Makes the report of a fan-out to the tracker, with the batches that the tracker does not know yet. */
export const reportOf = (
  fanOut: FanOut,
  { name, transactional, test, silent, inbox }: FrozenSend,
  batches: Pick<MadeBatch, 'no' | 'platform' | 'subscriptionIds' | 'userIds'>[],
): QueuedReport => ({
  campaignId: fanOut.campaignId,
  appId: fanOut.appId,
  day: fanOut.day,
  name,
  transactional,
  ...(test && { test }),
  ...(silent && { silent }),
  ...(inbox && { inbox }),
  byPlatform: fanOut.queued,
  fannedOut: fanOut.state === 'fanned_out' || fanOut.state === 'failed',
  batches: batches.map(({ no, platform, subscriptionIds, userIds }) => {
    return { no, platform, subscriptionIds: packIds(subscriptionIds), userIds: packIds(userIds) }
  }),
})

async function tellFailure(bus: Audience['bus'], { campaignId, failure }: FanOut): Promise<void> {
  await bus.call(failCampaign, {
    campaignId,
    ...(failure ?? { code: 'internal', message: 'The send could not be fanned out.' }),
  })
}
