import { eventSubjects } from '@herald/contracts/topology'
import type { BatchOutcomes, Outcome } from '@herald/contracts/outcome'
import { findListeners } from '@herald/service/listeners'
import { transact } from '@herald/service/postgres'
import { announcementsOf } from './announce.ts'
import { outcomeEvent } from './core/event.ts'
import { tally } from './core/tally.ts'
import type { EnsureDay } from './days.ts'
import type { FollowUp } from './follow-up.ts'
import { insertAnnouncements } from './store/announcements.ts'
import { insertSettlements, moveCounters } from './store/counters.ts'
import { insertOutcomes, pushKey, type LedgerEntry } from './store/ledger.ts'
import { moveVariantCounters } from './store/variant-counters.ts'
import type { Db } from './store/tables.ts'

export type OutcomeCall = { batches: BatchOutcomes[] }
export const countOutcomes = ({ batches }: OutcomeCall): number => batches.reduce((sum, { outcomes }) => sum + outcomes.length, 0)

type Push = { key: string; call: number; batch: BatchOutcomes; outcome: Outcome }

/**
 * Writes the outcomes of several calls in one transaction: ledger rows, one announcement of what was new and somebody listens to, and the counters,
 * last, since everybody waits for those rows. A push that already has an outcome keeps it and moves nothing, so any call may
 * come any number of times. Whoever moves a campaign's sums to its total settles it. Answers per call how many outcomes were new.
 *
 * What comes for a campaign past the ledger's retention is answered and not written, and counts nowhere: without its row a repeat could
 * not be told from it. Such a campaign was settled when its day was dropped (keep-house.ts).
 *
 * A campaign without a counters row is a mistake (audience reports totals before it hands out pushes): nothing is written.
 */
export async function recordOutcomes(
  { db, ensureDay, followUp, retentionDays }: { db: Db; ensureDay: EnsureDay; followUp: FollowUp; retentionDays: number },
  calls: OutcomeCall[],
): Promise<{ recorded: number }[]> {
  const pushes = sortedPushes(calls)
  for (const day of new Set(pushes.map(({ batch }) => batch.day))) await ensureDay(day)

  const committed = await transact(db, async (trx) => {
    const isHeard = await findListeners(
      trx,
      pushes.map(({ batch }) => batch.appId),
    )
    const { at, inserted } = await insertOutcomes(trx, pushes.map(ledgerEntry), retentionDays)
    const fresh = inserted === 'all' ? pushes : pushes.filter(({ key }) => inserted.has(key))
    if (fresh.length === 0) return { fresh, announcements: [], settled: [] }

    const time = at.toISOString()
    const announcements = announcementsOf(
      eventSubjects.pushSettled,
      fresh
        .filter(({ batch, outcome }) => isHeard(batch.appId, `notification.${outcome.outcome}`))
        .map(({ batch, outcome }) => outcomeEvent(batch, outcome, time)),
    )
    await insertAnnouncements(trx, announcements)

    const moves = tally(
      fresh.map(({ batch, outcome }) => ({
        campaignId: batch.campaignId,
        variant: outcome.variant,
        kind: outcome.outcome,
        settles: batch.platform,
      })),
    )
    await moveVariantCounters(trx, moves.byVariant)
    const counters = await moveCounters(trx, moves.byCampaign)
    if (counters.length < moves.byCampaign.size)
      throw new Error(`outcomes of a campaign without totals: ${missing(moves.byCampaign, counters)}`)
    const settled = counters.filter(({ complete }) => complete).map(({ campaignId }) => campaignId)
    if (settled.length > 0) await insertSettlements(trx, settled)
    return { fresh, announcements, settled }
  })

  followUp({
    ...committed,
    ended: committed.fresh.map(({ batch: { platform }, outcome: { outcome, code } }) => ({ platform, outcome, code })),
  })
  const recorded = calls.map(() => 0)
  for (const { call } of committed.fresh) recorded[call] = (recorded[call] ?? 0) + 1
  return recorded.map((count) => ({ recorded: count }))
}

/** Each push once (the first outcome wins, as in the ledger) in the order of the ledger's key: writers in one order never deadlock. */
function sortedPushes(calls: OutcomeCall[]): Push[] {
  const byKey = new Map<string, Push>()
  calls.forEach(({ batches }, call) => {
    for (const batch of batches) {
      for (const outcome of batch.outcomes) {
        const key = pushKey(batch.campaignId, outcome.subscriptionId)
        if (!byKey.has(key)) byKey.set(key, { key, call, batch, outcome })
      }
    }
  })
  return [...byKey.values()].toSorted((one, other) => (one.batch.day + one.key < other.batch.day + other.key ? -1 : 1))
}

const ledgerEntry = ({ batch, outcome }: Push): LedgerEntry => ({
  day: batch.day,
  campaign_id: batch.campaignId,
  subscription_id: outcome.subscriptionId,
  app_id: batch.appId,
  user_id: outcome.userId,
  platform: batch.platform,
  variant: outcome.variant,
  outcome: outcome.outcome,
  code: outcome.code,
  provider_code: outcome.providerCode,
  token_version: outcome.tokenVersion,
  attempts: outcome.attempts,
})

const missing = (wanted: Map<string, unknown>, found: { campaignId: string }[]): string => {
  const known = new Set(found.map(({ campaignId }) => campaignId))
  return [...wanted.keys()].filter((campaignId) => !known.has(campaignId)).join(', ')
}
