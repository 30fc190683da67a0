import type { Service } from '@herald/service/run'
import { scope } from '@herald/service/scrape'
import { findActive, type ActiveCampaign } from './store/counters.ts'
import { lockDueRound, readRound, writeRound, type Round } from './store/reconciliation.ts'
import { readWrites } from './store/recount.ts'
import type { Ledger } from './tracker.ts'
import { verifyCampaigns } from './verify-campaign.ts'

/** One statement examines at most this many campaigns, most of which are old and settled, to find the active ones. It takes ~3 ms. */
const lookedAt = 2_000
/** Campaigns are counted anew in groups of up to this many pushes. A larger campaign is counted alone. */
const pushesAtOnce = 20_000
/**
 * After each piece of work the reconciler rests 50 times as long as the work took, so it uses 2 % of a core. Counting a campaign of a million pushes
 * takes a tenth of a second.
 */
const restShare = 50

/** While a piece is under way no other tracker begins one. A piece takes at most 18 s; after this time its tracker has died. */
const pieceMs = 30_000

/** `sweep` does the next piece of work, unless another tracker does it. `found` reads what the reconcilers have found. */
export type Reconciler = {
  sweep(): Promise<{ took: number; nextInMs: number }>
  /**
   * `difference`: by how much counters and ledger differ, added up over all active campaigns. `roundEndedAt`: when the last round through all active
   * campaigns ended; null until the first round has ended.
   */
  found(): Promise<{ difference: number; roundEndedAt: string | null }>
}

/**
 * Compares each active campaign's counters with its rows in the ledger, again after every write. A difference is a mistake of Herald: it is logged
 * when new or changed, and a gauge shows it. Several trackers make one round.
 */
export function openReconciler(
  { log, metrics }: Pick<Service, 'log' | 'metrics'>,
  { db, retentionDays }: Ledger,
  { betweenRoundsMs = 5_000 } = {},
): Reconciler {
  const reconciled = metrics.counter('herald_reconciled_campaigns_total', 'Campaigns whose counters were held against the ledger.')
  const gauge = metrics.gauge('herald_ledger_difference', 'What counters and ledger of active campaigns are off in all. Must be 0.', {
    labelNames: ['scope'],
  })

  /** Takes the next group of campaigns out of the round. If its recount fails, the round goes on with another group, and another round follows. */
  const begin = (written: number | null) =>
    db.transaction().execute(async (trx) => {
      const round = await lockDueRound(trx)
      if (!round) return undefined
      if (round.pending.length === 0 && round.after === null) round.written = written
      if (round.working) round.written = null
      if (round.pending.length === 0) {
        const { active, examinedTo } = await findActive(trx, { after: round.after ?? undefined, limit: lookedAt, retentionDays })
        round.pending = groupsOf(active)
        round.after = examinedTo ?? null
      }
      round.working = round.pending.shift() ?? []
      await writeRound(trx, round, pieceMs)
      return round
    })
  const verify = async (round: Round) => {
    for (const one of await verifyCampaigns({ db, retentionDays }, round.working ?? [])) {
      const { campaignId, agrees, difference, counters, ledger } = one
      reconciled.inc()
      if (agrees) continue
      round.found[campaignId] = difference
      if (round.foundBefore[campaignId] !== difference)
        log.error({ campaignId, difference, counters, ledger }, 'counters and ledger differ')
    }
  }
  const isEnd = ({ pending, after }: Round) => pending.length === 0 && after === null
  const endRound = (round: Round) =>
    Object.assign(round, { compared: round.written, foundBefore: round.found, found: {}, roundEndedAt: new Date().toISOString() })

  const sweep = async () => {
    const { round: known, dueInMs } = await readRound(db)
    gauge.set({ scope }, offBy(known))
    if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }
    const startedAt = performance.now()
    const written = (await readWrites(db)) ?? null
    if (isEnd(known) && !known.working && written !== null && written === known.compared) return { took: 0, nextInMs: betweenRoundsMs }
    const round = await begin(written)
    if (!round) return { took: 0, nextInMs: betweenRoundsMs }
    try {
      await verify(round)
    } catch (error) {
      round.written = null
      throw error
    } finally {
      round.working = null
      const isLast = isEnd(round)
      if (isLast) endRound(round)
      gauge.set({ scope }, offBy(round))
      await writeRound(db, round, restShare * (performance.now() - startedAt) + (isLast ? betweenRoundsMs : 0))
    }
    return { took: 0, nextInMs: (await readRound(db)).dueInMs }
  }
  const found = async () => {
    const { round } = await readRound(db)
    return { difference: offBy(round), roundEndedAt: round.roundEndedAt }
  }
  return { sweep, found }
}

/** The difference that the last round found is shown until this round has found a larger one or has ended. */
const offBy = ({ found, foundBefore }: Round): number => Math.max(total(found), total(foundBefore))
const total = (differences: Record<string, number>): number => Object.values(differences).reduce((sum, difference) => sum + difference, 0)

function groupsOf(campaigns: ActiveCampaign[]): string[][] {
  const groups: string[][] = []
  let size = Infinity
  for (const { campaignId, queued } of campaigns) {
    if (size + queued > pushesAtOnce) {
      groups.push([])
      size = 0
    }
    groups.at(-1)?.push(campaignId)
    size += queued
  }
  return groups
}
