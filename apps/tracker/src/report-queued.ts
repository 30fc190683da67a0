import type { QueuedReport } from '@herald/contracts/calls/tracker'
import { perPlatform } from '@herald/contracts/platform'
import { eventSubjects } from '@herald/contracts/topology'
import { retried, transact } from '@herald/service/postgres'
import { announcementsOf } from './announce.ts'
import { completedEvent } from './core/event.ts'
import { rowsOf, type NewRow, type Slots } from './core/slots.ts'
import { insertAnnouncements } from './store/announcements.ts'
import { counterMarks, markCounters, writeReport, type EndedFanOut, type Mark, type NewLedgerRow } from './store/reports.ts'
import type { Db } from './store/tables.ts'
import type { Tracker } from './tracker.ts'

export type QueuedCall = { reports: QueuedReport[] }
export const countQueued = ({ reports }: QueuedCall): number =>
  reports.reduce((sum, { batches }) => batches.reduce((ofReport, { userIds }) => ofReport + userIds.length / 16, sum), 0)

/**
 * Writes what fan-outs have queued, several calls in one transaction: counters, and rows of the ledger with open slots. The report that ends a
 * fan-out announces campaign.completed once, if asked for, and settles a campaign without open pushes.
 */
export async function reportQueued(
  {
    db,
    remembered,
    ensureDay,
    followUp,
    retentionDays,
    stripe = 0,
  }: Pick<Tracker, 'db' | 'remembered' | 'ensureDay' | 'followUp' | 'retentionDays'> & { stripe?: number },
  calls: QueuedCall[],
): Promise<Record<string, never>[]> {
  const reports = highest(calls.flatMap((call) => call.reports))
  for (const day of new Set(reports.map((report) => report.day))) await ensureDay(day)
  const rows = new Map(reports.map((report) => [report.campaignId, ledgerRows(report)]))
  const totals = reports.map((one) => ({ ...one, hasRanges: (rows.get(one.campaignId) ?? []).some(({ firstId }) => firstId !== null) }))
  const ledger = [...rows.values()].flat()
  const write = (within: Db, unheard: boolean) => writeReport(within, totals, ledger, { retentionDays, unheard, stripe })
  const marked = (as: Mark) => reports.flatMap((one) => (one[as] ? [one.campaignId] : []))
  const tests = new Set(marked('test'))
  const marks = counterMarks.map((as) => ({ as, campaignIds: marked(as) })).filter(({ campaignIds }) => campaignIds.length > 0)

  // One statement is enough unless an endpoint asks for events or a report is about a marked send. Further statements mark those, so that other
  // reports pay nothing for the marks.
  const ended = marks.length === 0 ? await retried(() => write(db, true)) : undefined
  const committed = ended
    ? { ended, announcements: [] }
    : await transact(db, async (trx) => {
        const heard = (await write(trx, false)) ?? []
        for (const { as, campaignIds } of marks) await markCounters(trx, campaignIds, as)
        const events = heard.filter(isHeard).map((one) => eventOf(one, tests.has(one.campaignId)))
        const announcements = announcementsOf(eventSubjects.campaignCompleted, events)
        await insertAnnouncements(trx, announcements)
        return { ended: heard, announcements }
      })
  const settled = committed.ended.filter(({ isSettled }) => isSettled).map(({ campaignId }) => campaignId)
  for (const { day, campaignId, appId } of reports)
    for (const [no, ofBatch] of Map.groupBy(rows.get(campaignId) ?? [], (row) => row.no))
      remembered.wrote(day, { campaignId, no, appId }, ofBatch.map(openRow))
  followUp({ announcements: committed.announcements, settled })
  return calls.map(() => ({}))
}

/** A row as it is written first. If it was there already, a write with what is remembered changes nothing, and the row is read. */
const openRow = ({ place, size }: NewRow): Slots => ({ place, size, slots: Buffer.alloc(size), ends: '', sent: 0, failed: 0, skipped: 0 })

const isHeard = ({ heard }: EndedFanOut): boolean => heard.includes('*') || heard.includes('campaign.completed')
const eventOf = (ended: EndedFanOut, test: boolean) => completedEvent({ ...ended, test }, ended.at.toISOString())

/** Makes the ledger's rows of a report, in the order of the ledger's key. */
const ledgerRows = ({ day, campaignId, appId, batches }: QueuedReport): NewLedgerRow[] =>
  batches.flatMap(({ no, platform, subscriptionIds, userIds }) =>
    rowsOf(subscriptionIds, userIds).map((row) => ({ ...row, day, campaignId, no, appId, platform })),
  )

/** Merges reports of the same campaign into one with the highest totals, and sorts them by id: writers with one order never deadlock. */
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
  byPlatform: perPlatform((platform) => Math.max(one.byPlatform[platform], other.byPlatform[platform])),
  fannedOut: one.fannedOut || other.fannedOut,
  batches: [...new Map([...other.batches, ...one.batches].map((batch) => [batch.no, batch])).values()].toSorted(
    (first, second) => first.no - second.no,
  ),
})
