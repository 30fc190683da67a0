import type { Service } from '@herald/service/run'
import { findActive, type ActiveCampaign, type CampaignPlace } from './store/counters.ts'
import { readWrites } from './store/recount.ts'
import type { Tracker } from './tracker.ts'
import { verifyCampaigns } from './verify-campaign.ts'

/** One statement examines at most this many campaigns, most of which are old and settled, to find the active ones. It takes ~3 ms. */
const lookedAt = 2_000
/** Campaigns are counted anew in groups of up to this many pushes. A larger campaign is counted alone. */
const pushesAtOnce = 20_000
/**
 * After each piece of work the reconciler rests 50 times as long as the work took, so it uses 2 % of a core. Counting a campaign of a million pushes
 * takes a tenth of a second, and five seconds of rest follow.
 */
const restShare = 50

/** `sweep` does the next piece of work. `found` says what the reconciler has found. */
export type Reconciler = {
  sweep(): Promise<{ took: number; nextInMs: number }>
  /**
   * `difference`: by how much counters and ledger differ, added up over all active campaigns. `roundEndedAt`: when the last round through all active
   * campaigns ended; null until the first round has ended.
   */
  found(): { difference: number; roundEndedAt: string | null }
}

/**
 * Compares the counters of each active campaign with its rows in the ledger, and begins anew whenever some of them were written. A difference is a
 * mistake of Herald: it is logged with both counts when it is new or has changed, and shown by a gauge that must be 0.
 */
export function openReconciler(
  { log, metrics }: Pick<Service, 'log' | 'metrics'>,
  { db, retentionDays }: Pick<Tracker, 'db' | 'retentionDays'>,
  { betweenRoundsMs = 5_000 } = {},
): Reconciler {
  const reconciled = metrics.counter('herald_reconciled_campaigns_total', 'Campaigns whose counters were held against the ledger.')
  const gauge = metrics.gauge('herald_ledger_difference', 'What counters and ledger of active campaigns are off in all. Must be 0.')
  let nextAt = 0
  let pending: string[][] = []
  let after: CampaignPlace | undefined
  /** How much had been written when this round began, and when the last round began that compared every campaign. */
  let written: number | undefined
  let compared: number | undefined
  let found = new Map<string, number>()
  let foundBefore = new Map<string, number>()
  let roundEndedAt: string | null = null
  /** The difference that the last round found is shown until this round has found a larger one or has ended. */
  const offBy = () => Math.max(total(found), total(foundBefore))

  const look = async () => {
    const { active, examinedTo } = await findActive(db, { after, limit: lookedAt, retentionDays })
    pending = groupsOf(active)
    after = examinedTo
  }
  const verify = async (campaignIds: string[]) => {
    for (const { campaignId, agrees, difference, counters, ledger } of await verifyCampaigns({ db, retentionDays }, campaignIds)) {
      reconciled.inc()
      if (agrees) continue
      found.set(campaignId, difference)
      if (foundBefore.get(campaignId) !== difference) log.error({ campaignId, difference, counters, ledger }, 'counters and ledger differ')
    }
  }
  const endRound = () => {
    compared = written
    gauge.set(total(found))
    foundBefore = found
    found = new Map()
    roundEndedAt = new Date().toISOString()
  }

  const sweep = async () => {
    const waitMs = nextAt - performance.now()
    if (waitMs > 0) return { took: 0, nextInMs: waitMs }
    const startedAt = performance.now()
    if (pending.length === 0 && after === undefined) {
      written = await readWrites(db)
      if (written !== undefined && written === compared) return { took: 0, nextInMs: betweenRoundsMs }
    }
    if (pending.length === 0) await look()
    // The group leaves the list first. If its recount times out, the next sweep goes on with another group, and another round follows.
    const group = pending.shift()
    const isEnd = () => pending.length === 0 && after === undefined
    try {
      if (group) await verify(group)
      if (isEnd()) endRound()
      else gauge.set(offBy())
    } catch (error) {
      written = undefined
      throw error
    } finally {
      nextAt = performance.now() + restShare * (performance.now() - startedAt) + (isEnd() ? betweenRoundsMs : 0)
    }
    return { took: 0, nextInMs: nextAt - performance.now() }
  }
  return { sweep, found: () => ({ difference: offBy(), roundEndedAt }) }
}

const total = (differences: Map<string, number>): number => [...differences.values()].reduce((sum, difference) => sum + difference, 0)

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
