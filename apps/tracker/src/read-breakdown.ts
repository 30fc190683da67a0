import type { OutcomeKind } from '@herald/contracts/outcome'
import { perPlatform, platforms, type Platform } from '@herald/contracts/platform'
import type { Breakdown, CodeCount } from '@herald/contracts/series'
import { countSlots } from './core/slots.ts'
import { countsOf } from './core/stats.ts'
import { findVariantCounters } from './store/counters.ts'
import { findActions, findPlatformCounts, type PlatformCounts } from './store/large-campaigns.ts'
import { slotsOf } from './store/recount.ts'
import type { Db } from './store/tables.ts'
import type { Ledger } from './tracker.ts'

type Asked = { appId: string; campaignId: string }
type Ends = { codes: CodeCount[]; sent: Record<Platform, number> }

/**
 * Gives a campaign's counters by platform, code, variant and action (spec: administration/breakdown). Null when no fan-out has reported it, or it belongs to
 * another app. Codes of at most 1,000 pushes come from slots, while the ledger keeps them.
 */
export async function readBreakdown({ db, retentionDays }: Ledger, { appId, campaignId }: Asked): Promise<Breakdown | null> {
  const counts = await findPlatformCounts(db, { appId, campaignId, retentionDays })
  if (!counts) return null
  const ends = counts.isLarge ? endsCounted(counts) : counts.isKept ? await endsInLedger(db, campaignId, counts.day) : undefined
  const variants = await findVariantCounters(db, [campaignId])
  return {
    byPlatform: perPlatform((platform) => onPlatform(platform, counts, ends)),
    codes: ends?.codes ?? null,
    variants: Object.fromEntries(variants.map((of) => [of.variant, countsOf(of)])),
    actions: await findActions(db, campaignId),
  }
}

function onPlatform(platform: Platform, counts: PlatformCounts, ends: Ends | undefined) {
  const queued = counts.queued[platform]
  if (!ends) return { queued, open: queued - counts.ended[platform], sent: null, failed: null, skipped: null }
  const [failed, skipped] = [countOf(ends.codes, 'failed', platform), countOf(ends.codes, 'skipped', platform)]
  const sent = ends.sent[platform]
  return { queued, open: Math.max(0, queued - sent - failed - skipped), sent, failed, skipped }
}

/**
 * Gives codes and sent pushes of a large campaign from its counters. Undefined when the campaign began before Herald counted codes, since some codes
 * are then missing.
 */
function endsCounted({ codes, ...counts }: PlatformCounts): Ends | undefined {
  if (countOf(codes, 'failed') !== counts.failed || countOf(codes, 'skipped') !== counts.skipped) return undefined
  const sentOn = (platform: Platform) => counts.ended[platform] - countOf(codes, 'failed', platform) - countOf(codes, 'skipped', platform)
  return { codes, sent: perPlatform(sentOn) }
}

const countOf = (codes: CodeCount[], outcome: OutcomeKind, on?: Platform): number =>
  codes.reduce((sum, one) => (one.outcome === outcome && (on === undefined || one.platform === on) ? sum + one.count : sum), 0)

async function endsInLedger(db: Db, campaignId: string, day: string): Promise<Ends> {
  const sent = perPlatform(() => 0)
  const codes = new Map<string, CodeCount>()
  for await (const { platform, ...row } of slotsOf(db, [{ day, campaignId }])) {
    for (const { end, count } of countSlots(row)) {
      if (end.outcome === 'sent') {
        sent[platform] += count
        continue
      }
      const key = `${platforms.indexOf(platform)} ${end.outcome} ${end.code}`
      const known = codes.get(key)
      if (known) known.count += count
      else codes.set(key, { platform, outcome: end.outcome, code: end.code, count })
    }
  }
  return { codes: [...codes].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, code]) => code), sent }
}
