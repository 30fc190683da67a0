import { fanOutStarted } from '@herald/contracts/calls/campaigns'
import { reportQueued } from '@herald/contracts/calls/tracker'
import { queueUnavailable } from '@herald/contracts/fault'
import { group } from '@herald/service/group'
import type { Audience } from '../audience.ts'
import { pointTogether } from '../point.ts'
import { applyFlow } from './change-flow.ts'
import { isAway } from './page-failure.ts'
import { repeatedBriefly } from './repeat-briefly.ts'
import type { Begun } from './start-sends.ts'
import { reportOf } from './tell-totals.ts'

const toldAtOnce = 100
const sharing = { maxWaiting: 5_000, full: queueUnavailable, isShared: isAway, appOf: ({ row }: Begun) => row.appId }

/**
 * Gives a function that goes on with a committed small send: it tells campaigns and tracker, then points at batches that no dispatcher got. Waiting
 * sends share these calls. If they fail, the sweep repeats them within 5 s.
 */
export function openTelling(audience: Audience): (begun: Begun) => Promise<void> {
  const tell = group((begun: Begun[]) => tellTogether(audience, begun), { ...sharing, limit: toldAtOnce, atOnce: 2 })
  const point = pointTogether(audience)
  return async (begun) => {
    await repeatedBriefly(() => tell(begun))
    await Promise.all(begun.batches.map(point))
  }
}

async function tellTogether(audience: Audience, begun: Begun[]): Promise<void[]> {
  const { bus, noteTold } = audience
  const rows = begun.map(({ row }) => row)
  const reports = begun.map(({ row, send, made }) => reportOf(row, send, made))
  // The two calls run at the same time, because neither needs the other.
  const [{ flows }] = await Promise.all([
    bus.call(fanOutStarted, { campaignIds: rows.map(({ campaignId }) => campaignId) }),
    bus.call(reportQueued, { reports }),
  ])
  for (const [index, row] of rows.entries()) {
    const change = flows[index]
    if (change && change.no > row.flowNo) await applyFlow(audience, row.campaignId, change)
  }
  noteTold(rows)
  return begun.map(() => undefined)
}
