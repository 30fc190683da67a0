import { fanOutStarted } from '@herald/contracts/calls/campaigns'
import { reportQueued } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import { group } from '@herald/service/group'
import type { Audience } from '../audience.ts'
import { pointTogether } from '../point.ts'
import { applyFlow } from './change-flow.ts'
import { isAway } from './page-failure.ts'
import type { Begun, Given } from './start-sends.ts'
import { freeBatch } from './store/small-sends.ts'
import { reportOf } from './tell-totals.ts'

/** How many small sends are told of in one call. */
const toldAtOnce = 100
const sharing = { maxWaiting: 5_000, full: queueUnavailable, isShared: isAway, turn: ({ row }: Begun) => row.appId }

/**
 * Does what follows when small sends have their rows, for many at once: tells campaigns that they have started (the answer may be that one was
 * paused or cancelled meanwhile), tells the tracker which pushes are queued, and only then points at the batches. If this fails the sweep
 * repairs it: the rows say that campaigns and tracker were not told, and are due in 5 s.
 */
export function openTelling(audience: Audience): (begun: Begun) => Promise<void> {
  const tell = group((begun: Begun[]) => tellTogether(audience, begun), { ...sharing, limit: toldAtOnce, atOnce: 2 })
  const point = pointTogether(audience)
  return async (begun) => {
    const telling = tell(begun)
    await Promise.all(begun.given.map((given) => give(audience, given, telling)))
    await telling
    await Promise.all(begun.batches.map(point))
  }
}

/**
 * Answers the dispatcher that has a batch, once campaigns and tracker were told. If that failed, or the send was paused or cancelled, the batch
 * is free again and due now.
 */
async function give({ db, log }: Audience, { batch, taker, share }: Given, telling: Promise<{ goesOn: boolean }>): Promise<void> {
  const goesOn = await telling.then((told) => told.goesOn).catch(() => false)
  if (goesOn) share.batches.push(batch)
  share.open -= 1
  if (share.open === 0) taker.answer(share.batches)
  const { batchId } = batch
  if (!goesOn)
    await freeBatch(db, batchId).catch((error: unknown) => log.debug({ batchId, err: error }, 'a batch is free when its lease ends'))
}

async function tellTogether(audience: Audience, begun: Begun[]): Promise<{ goesOn: boolean }[]> {
  const { bus, noteTold } = audience
  const rows = begun.map(({ row }) => row)
  const reports = begun.map(({ row, send, made }) => reportOf(row, send, made))
  // Both at once, since neither needs the other; the pointers wait for both.
  const [{ flows }] = await Promise.all([
    bus.call(fanOutStarted, { campaignIds: rows.map(({ campaignId }) => campaignId) }),
    bus.call(reportQueued, { reports }),
  ])
  for (const [index, row] of rows.entries()) {
    const change = flows[index]
    if (change && change.no > row.flowNo) await applyFlow(audience, row.campaignId, change)
  }
  noteTold(rows)
  return flows.map((change) => ({ goesOn: (change?.flow ?? 'running') === 'running' }))
}
