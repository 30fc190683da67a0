import type { Engagement } from '@herald/contracts/calls/tracker'
import { eventSubjects } from '@herald/contracts/topology'
import { findListeners } from '@herald/service/listeners'
import { transact } from '@herald/service/postgres'
import { announcementsOf } from './announce.ts'
import { engagementEvent } from './core/event.ts'
import { hourMoves } from './core/hours.ts'
import { tally } from './core/tally.ts'
import type { EnsureDay } from './days.ts'
import type { FollowUp } from './follow-up.ts'
import { insertAnnouncements } from './store/announcements.ts'
import { findKept } from './store/counters.ts'
import { engagementKey, insertEngagements, moveEngagements } from './store/engagements.ts'
import type { Db } from './store/tables.ts'

export type EngagementCall = { engagements: Engagement[] }

type Report = { key: string; call: number; day: string; test: boolean; engagement: Engagement }

/**
 * Counts what devices reported, several calls in one transaction; a stats read after it shows them. One (push, kind) counts
 * once. What is not countable is no error: a campaign that is unknown, of another or a deleted app, or older than the
 * ledger's retention. Answers per call how many counted.
 */
export async function trackEvents(
  {
    db,
    ensureDay,
    followUp,
    retentionDays,
    slot = 0,
  }: { db: Db; ensureDay: EnsureDay; followUp: FollowUp; retentionDays: number; slot?: number },
  calls: EngagementCall[],
): Promise<{ counted: number }[]> {
  const reports = await countableReports(db, calls, retentionDays)
  const counted = calls.map(() => 0)
  if (reports.length > 0) {
    for (const day of new Set(reports.map(({ day }) => day))) await ensureDay(day)
    const { fresh, announcements } = await transact(db, async (trx) => {
      const isHeard = await findListeners(
        trx,
        reports.map(({ engagement }) => engagement.appId),
      )
      const { at, inserted } = await insertEngagements(
        trx,
        reports.map(({ day, engagement }) => ({ day, ...engagement })),
      )
      const fresh = reports.filter(({ key }) => inserted.has(key))
      if (fresh.length === 0) return { fresh, announcements: [] }

      const time = at.toISOString()
      const announcements = announcementsOf(
        eventSubjects.pushEngaged,
        fresh
          .filter(({ engagement: { appId, kind } }) => isHeard(appId, `notification.${kind}`))
          .map(({ engagement, test }) => engagementEvent(engagement, time, { test })),
      )
      await insertAnnouncements(trx, announcements)

      const moves = tally(fresh.map(({ engagement }) => engagement))
      const { hours } = hourMoves(fresh.flatMap(inSeries))
      // Throws when an app is being deleted: repeated, the report is of a campaign that nobody knows.
      await moveEngagements(trx, { ...moves, hours, slot })
      return { fresh, announcements }
    })
    followUp({ announcements, settled: [], engagements: fresh.map(({ engagement }) => engagement.kind) })
    for (const { call } of fresh) counted[call] = (counted[call] ?? 0) + 1
  }
  return counted.map((count) => ({ counted: count }))
}

/** A test is counted in no series (spec: administration/series-tests). */
const inSeries = ({ test, engagement: { campaignId, appId, platform, kind } }: Report) =>
  test ? [] : [{ campaignId, appId, platform, kind, code: '', count: 1 }]

/** The reports that may count, each once, with their campaign's day and in the order of the key. */
async function countableReports(db: Db, calls: EngagementCall[], retentionDays: number): Promise<Report[]> {
  const campaignIds = [...new Set(calls.flatMap(({ engagements }) => engagements.map(({ campaignId }) => campaignId)))]
  const campaigns = new Map((await findKept(db, campaignIds, retentionDays)).map((campaign) => [campaign.campaign_id, campaign]))
  const byKey = new Map<string, Report>()
  calls.forEach(({ engagements }, call) => {
    for (const engagement of engagements) {
      const campaign = campaigns.get(engagement.campaignId)
      const key = engagementKey(engagement)
      if (campaign?.app_id === engagement.appId && !byKey.has(key))
        byKey.set(key, { key, call, day: campaign.day, test: campaign.test, engagement })
    }
  })
  return [...byKey.values()].toSorted((one, other) => (one.day + one.key < other.day + other.key ? -1 : 1))
}
