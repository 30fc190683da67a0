import { eventSubjects } from '@herald/contracts/topology'
import { findListeners } from '@herald/service/listeners'
import { transact } from '@herald/service/postgres'
import { announcementsOf } from './announce.ts'
import { completedEvent } from './core/event.ts'
import type { EnsureDay } from './days.ts'
import type { FollowUp } from './follow-up.ts'
import { insertAnnouncements } from './store/announcements.ts'
import { insertSettlements, insertTotals, takeFannedOut, type Totals } from './store/counters.ts'
import type { Db } from './store/tables.ts'

export type QueuedReport = Totals & { fannedOut: boolean }

/**
 * Writes how much fan-outs have queued so far, several reports in one transaction. The first one makes the counters row; totals only
 * grow. The report that ends a fan-out announces campaign.completed, once, and settles the campaign if its outcomes are all
 * there already or nothing was queued at all.
 */
export async function reportQueued(
  { db, ensureDay, followUp }: { db: Db; ensureDay: EnsureDay; followUp: FollowUp },
  reports: QueuedReport[],
): Promise<Record<string, never>[]> {
  const totals = highest(reports)
  for (const day of new Set(totals.map(({ day }) => day))) await ensureDay(day)

  const committed = await transact(db, async (trx) => {
    const ended = totals.filter(({ fannedOut }) => fannedOut)
    const isHeard = await findListeners(
      trx,
      ended.map(({ appId }) => appId),
    )
    await insertTotals(trx, totals)
    const fannedOut =
      ended.length > 0
        ? await takeFannedOut(
            trx,
            ended.map(({ campaignId }) => campaignId),
          )
        : []
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
  return reports.map(() => ({}))
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
