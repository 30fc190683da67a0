import { fanOutStarted } from '@herald/contracts/calls/campaigns'
import { reportQueued } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import { group } from '@herald/service/group'
import type { Audience } from '../audience.ts'
import { pointTogether } from '../point.ts'
import { applyFlow } from './change-flow.ts'
import { isAway } from './page-failure.ts'
import { repeatedBriefly } from './repeat-briefly.ts'
import type { Begun, Given } from './start-sends.ts'
import { freeBatch } from './store/small-sends.ts'
import { reportOf } from './tell-totals.ts'

const toldAtOnce = 100
const sharing = { maxWaiting: 5_000, full: queueUnavailable, isShared: isAway, turn: ({ row }: Begun) => row.appId }

/**
 * Gives a function that goes on with a small send after its rows are committed. It tells campaigns that the send has started, and the tracker which
 * pushes are queued; sends that wait at the same time share these two calls. Campaigns may answer that a send was paused or cancelled meanwhile. Then
 * the function gives the leased batches to their dispatchers, and publishes pointers at the others. If the calls fail, the sweep repeats them after 5
 * s at the latest, because the rows say that campaigns and the tracker were not told.
 */
export function openTelling(audience: Audience): (begun: Begun) => Promise<void> {
  const tell = group((begun: Begun[]) => tellTogether(audience, begun), { ...sharing, limit: toldAtOnce, atOnce: 2 })
  const point = pointTogether(audience)
  return async (begun) => {
    const telling = repeatedBriefly(() => tell(begun))
    await Promise.all(begun.given.map((given) => give(audience, given, telling)))
    await telling
    await Promise.all(begun.batches.map(point))
  }
}

/**
 * Gives a leased batch to its dispatcher when campaigns and the tracker know of the send. If the calls to them failed, or the send was
 * paused or cancelled, it frees the batch, and the sweep may point at the batch at once.
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
  // The two calls run at the same time, because neither needs the other. Pointers are published only after both are answered.
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
