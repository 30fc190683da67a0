import type { QueuedReport } from '@herald/contracts/calls/tracker'
import { eventSubjects } from '@herald/contracts/topology'
import { findListeners } from '@herald/service/listeners'
import { transact } from '@herald/service/postgres'
import { announcementsOf } from './announce.ts'
import { completedEvent } from './core/event.ts'
import { openSlots, rowsOf } from './core/slots.ts'
import type { EnsureDay } from './days.ts'
import type { FollowUp } from './follow-up.ts'
import { insertAnnouncements } from './store/announcements.ts'
import { insertSettlements, insertTotals, takeFannedOut } from './store/counters.ts'
import { insertRows, type NewLedgerRow } from './store/ledger.ts'
import type { Db } from './store/tables.ts'

export type QueuedCall = { reports: QueuedReport[] }
export const countQueued = ({ reports }: QueuedCall): number =>
  reports.reduce((sum, { batches }) => batches.reduce((ofReport, { userIds }) => ofReport + userIds.length / 16, sum), 0)

/**
 * Writes which pushes fan-outs have queued so far, several calls in one transaction: counters and the ledger's rows, whose slots are open. The
 * first report of a campaign makes the counters row; totals only grow, and a batch that is there stays as it is. The report that ends a fan-out
 * announces campaign.completed, once, and settles the campaign if its outcomes are all there already or nothing was queued at all.
 */
export async function reportQueued(
  { db, ensureDay, followUp, retentionDays }: { db: Db; ensureDay: EnsureDay; followUp: FollowUp; retentionDays: number },
  calls: QueuedCall[],
): Promise<Record<string, never>[]> {
  const reports = highest(calls.flatMap((call) => call.reports))
  for (const day of new Set(reports.map((report) => report.day))) await ensureDay(day)
  const rows = new Map(reports.map((report) => [report.campaignId, ledgerRows(report)]))

  const committed = await transact(db, async (trx) => {
    const ended = reports.filter(({ fannedOut }) => fannedOut)
    const isHeard = await findListeners(
      trx,
      ended.map(({ appId }) => appId),
    )
    const known = await insertTotals(
      trx,
      reports.map((report) => ({ ...report, hasRanges: (rows.get(report.campaignId) ?? []).some(({ firstId }) => firstId !== null) })),
    )
    await insertRows(
      trx,
      reports.flatMap(({ campaignId }) => (known.has(campaignId) ? (rows.get(campaignId) ?? []) : [])),
      retentionDays,
    )
    const endedIds = ended.map(({ campaignId }) => campaignId)
    const fannedOut = endedIds.length > 0 ? await takeFannedOut(trx, endedIds) : []
    if (fannedOut.length === 0) return { announcements: [], settled: [] }

    const announcements = announcementsOf(
      eventSubjects.campaignCompleted,
      fannedOut.filter((row) => isHeard(row.app_id, 'campaign.completed')).map(eventOf),
    )
    await insertAnnouncements(trx, announcements)
    const settled = fannedOut.filter(({ complete }) => complete).map(({ campaign_id }) => campaign_id)
    if (settled.length > 0) await insertSettlements(trx, settled)
    return { announcements, settled }
  })

  followUp(committed)
  return calls.map(() => ({}))
}

/** The rows of a report's batches, in the order of the ledger's key. */
function ledgerRows({ day, campaignId, appId, batches }: QueuedReport): NewLedgerRow[] {
  return batches.flatMap(({ no, platform, subscriptionIds, userIds }) =>
    rowsOf(Buffer.from(subscriptionIds, 'base64'), Buffer.from(userIds, 'base64')).map((row) => {
      return { ...row, day, campaignId, no, appId, platform, slots: openSlots(row.size) }
    }),
  )
}

/** Each campaign once, with its highest totals, in the order of its id: writers in one order never deadlock. */
function highest(reports: QueuedReport[]): QueuedReport[] {
  const byCampaign = new Map<string, QueuedReport>()
  for (const report of reports) {
    const other = byCampaign.get(report.campaignId)
    byCampaign.set(report.campaignId, other ? merge(other, report) : report)
  }
  return [...byCampaign.values()].toSorted((one, other) => (one.campaignId < other.campaignId ? -1 : 1))
}

const merge = (one: QueuedReport, other: QueuedReport): QueuedReport => ({
  ...one,
  byPlatform: {
    ios: Math.max(one.byPlatform.ios, other.byPlatform.ios),
    android: Math.max(one.byPlatform.android, other.byPlatform.android),
    web: Math.max(one.byPlatform.web, other.byPlatform.web),
  },
  fannedOut: one.fannedOut || other.fannedOut,
  batches: [...new Map([...other.batches, ...one.batches].map((batch) => [batch.no, batch])).values()].toSorted((a, b) => a.no - b.no),
})

const eventOf = (row: Awaited<ReturnType<typeof takeFannedOut>>[number]) =>
  completedEvent(
    {
      appId: row.app_id,
      campaignId: row.campaign_id,
      name: row.name,
      transactional: row.transactional,
      byPlatform: { ios: row.queued_ios, android: row.queued_android, web: row.queued_web },
    },
    row.at.toISOString(),
  )
