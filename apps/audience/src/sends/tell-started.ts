import { fanOutStarted } from '@herald/contracts/calls/campaigns'
import { reportQueued } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import { group } from '@herald/service/group'
import type { Audience } from '../audience.ts'
import { applyFlow } from './change-flow.ts'
import { isAway } from './page-failure.ts'
import { pointTogether } from '../delivery/point.ts'
import type { Begun, Given } from './start-sends.ts'
import { freeBatch } from '../delivery/store/batches.ts'
import { reportOf } from './tell-totals.ts'

/** Small sends that others are told of in one call. */
const toldAtOnce = 100
const sharing = { maxWaiting: 5_000, full: queueUnavailable, isShared: isAway, turn: ({ row }: Begun) => row.app_id }

/**
 * What follows from small sends that have their rows, in company: campaigns hears that they have started (and may answer that one was paused
 * or cancelled meanwhile), the tracker what was queued, and only then their batches are pointed at. What fails here the sweep repairs:
 * nobody was told of these rows, and they are due in 5 s.
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

/** Answers the taker of a batch, once the others were told. What may not go on, or fails, is free again and due now. */
async function give({ db, log }: Audience, { batch, taker, share }: Given, telling: Promise<{ goesOn: boolean }>): Promise<void> {
  const goesOn = await telling.then((told) => told.goesOn).catch(() => false)
  if (goesOn) share.batches.push(batch)
  share.open -= 1
  if (share.open === 0) taker.answer(share.batches)
  const { batchId } = batch
  if (!goesOn) await freeBatch(db, batchId).catch((error: unknown) => log.debug({ batchId, err: error }, 'left to its lease'))
}

async function tellTogether(audience: Audience, begun: Begun[]): Promise<{ goesOn: boolean }[]> {
  const { bus, noteTold } = audience
  const rows = begun.map(({ row }) => row)
  const reports = begun.map(({ row, send, made }) => reportOf(row, send, made))
  // Both at once, since neither needs the other; the pointers wait for both.
  const [{ flows }] = await Promise.all([
    bus.call(fanOutStarted, { campaignIds: rows.map(({ campaign_id }) => campaign_id) }),
    bus.call(reportQueued, { reports }),
  ])
  for (const [index, row] of rows.entries()) {
    const change = flows[index]
    if (change && change.no > row.flow_no) await applyFlow(audience, row.campaign_id, change)
  }
  noteTold(rows)
  return flows.map((change) => ({ goesOn: (change?.flow ?? 'running') === 'running' }))
}
