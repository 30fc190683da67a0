import { setTimeout as sleep } from 'node:timers/promises'
import type { Engagement } from '@herald/contracts/calls/tracker'
import { madeAt } from '@herald/contracts/ids'
import { eventSubjects } from '@herald/contracts/topology'
import { findListeners } from '@herald/service/listeners'
import { transact } from '@herald/service/postgres'
import { announcementsOf } from './announce.ts'
import { engagementEvent } from './core/event.ts'
import { hourMoves } from './core/hours.ts'
import { tally, tallyActions } from './core/tally.ts'
import { insertAnnouncements } from './store/announcements.ts'
import { findKept } from './store/counters.ts'
import { engagementKey, insertEngagements, moveEngagements } from './store/engagements.ts'
import type { Db } from './store/tables.ts'
import type { Tracker } from './tracker.ts'

export type EngagementCall = { engagements: Engagement[] }

/** How many reports of a call counted. `isEarly`: whether the campaign of another may be reported to the ledger in a moment. */
export type Tracked = { counted: number; isEarly: boolean }

/** A small send goes out while the ledger is being told of it. A device may report the push before that, when audience or this service had trouble. */
const earlyMs = 60_000
/** A call waits at most this long for the ledger: less than the 3 s that its caller waits. */
const patienceMs = 2_000
const lookEveryMs = 100

type Report = { key: string; call: number; day: string; test: boolean; engagement: Engagement }

/**
 * Counts what devices reported, several calls in one transaction, and answers after the commit. A kind of report counts once for a push. Reports of
 * an unknown campaign, another or a deleted app, or past the retention are ignored.
 */
export async function trackEvents(
  {
    db,
    ensureDay,
    followUp,
    retentionDays,
    stripe = 0,
  }: Pick<Tracker, 'db' | 'ensureDay' | 'followUp' | 'retentionDays'> & { stripe?: number },
  calls: EngagementCall[],
): Promise<Tracked[]> {
  const { reports, early } = await countableReports(db, calls, retentionDays)
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
      // This throws when an erasure has deleted the campaign's counters meanwhile. `group` (start.ts) then repeats the calls one by one, and they
      // find the campaign unknown.
      await moveEngagements(trx, { ...moves, byAction: tallyActions(fresh.map(({ engagement }) => engagement)), hours, stripe })
      return { fresh, announcements }
    })
    followUp({ announcements, settled: [], engagements: fresh.map(({ engagement }) => engagement.kind) })
    for (const { call } of fresh) counted[call] = (counted[call] ?? 0) + 1
  }
  return counted.map((count, call) => ({ counted: count, isEarly: early.has(call) }))
}

/** Tracks a call again, for two seconds at most, while the ledger does not know a campaign that is just beginning. */
export async function trackPatiently(
  track: (call: EngagementCall) => Promise<Tracked>,
  call: EngagementCall,
): Promise<{ counted: number }> {
  const until = performance.now() + patienceMs
  for (let counted = 0; ;) {
    const tracked = await track(call)
    counted += tracked.counted
    if (!tracked.isEarly || performance.now() >= until) return { counted }
    await sleep(lookEveryMs)
  }
}

/** Gives what the series of an app count. Tests are counted in no series (spec: administration/series-tests). */
const inSeries = ({ test, engagement: { campaignId, appId, platform, kind } }: Report) =>
  test ? [] : [{ campaignId, appId, platform, kind, code: '', count: 1 }]

/**
 * Gives the reports that may count, each once, with the day of their campaign, in the order of their key, and the calls with a report that may count
 * in a moment.
 */
async function countableReports(
  db: Db,
  calls: EngagementCall[],
  retentionDays: number,
): Promise<{ reports: Report[]; early: ReadonlySet<number> }> {
  const campaignIds = [...new Set(calls.flatMap(({ engagements }) => engagements.map(({ campaignId }) => campaignId)))]
  const campaigns = new Map((await findKept(db, campaignIds, retentionDays)).map((campaign) => [campaign.campaignId, campaign]))
  const byKey = new Map<string, Report>()
  const early = new Set<number>()
  calls.forEach(({ engagements }, call) => {
    for (const engagement of engagements) {
      const campaign = campaigns.get(engagement.campaignId)
      const key = engagementKey(engagement)
      if (!campaign && Date.now() - madeAt(engagement.campaignId) < earlyMs) early.add(call)
      if (campaign?.appId === engagement.appId && !byKey.has(key))
        byKey.set(key, { key, call, day: campaign.day, test: campaign.test, engagement })
    }
  })
  const reports = [...byKey.values()].toSorted((one, other) => (one.day + one.key < other.day + other.key ? -1 : 1))
  return { reports, early }
}
