import type { EngagementKind } from '@herald/contracts/event'
import type { OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'

/** What is added to the counters of an app's present hour on one platform. */
export type HourMove = { appId: string; platform: Platform } & Partial<Record<OutcomeKind | EngagementKind, number>>

/** How many pushes of a campaign failed or were skipped with one code. */
export type CodeMove = { campaignId: string; appId: string; platform: Platform; outcome: OutcomeKind; code: string; count: number }

/** How many pushes of a campaign ended, or how many reports about them came. `code` is empty unless the pushes failed or were skipped. */
export type HourCounted = {
  campaignId: string
  appId: string
  platform: Platform
  kind: OutcomeKind | EngagementKind
  code: string
  count: number
}

/**
 * Adds up what is new by app and platform, and failed and skipped pushes by campaign, platform and code. Both lists have their key's order, in which
 * all writers lock rows. The caller leaves tests out (spec: administration/series-tests).
 */
export function hourMoves(counted: HourCounted[]): { hours: HourMove[]; codes: CodeMove[] } {
  const hours = new Map<string, HourMove>()
  const codes = new Map<string, CodeMove>()
  for (const { campaignId, appId, platform, kind, code, count } of counted) {
    const key = `${appId} ${platform}`
    let move = hours.get(key)
    if (!move) hours.set(key, (move = { appId, platform }))
    move[kind] = (move[kind] ?? 0) + count
    if (code === '' || (kind !== 'failed' && kind !== 'skipped')) continue
    const codeKey = `${campaignId} ${platform} ${kind} ${code}`
    const known = codes.get(codeKey)
    if (known) known.count += count
    else codes.set(codeKey, { campaignId, appId, platform, outcome: kind, code, count })
  }
  return { hours: inOrder(hours), codes: inOrder(codes) }
}

const inOrder = <Move>(moves: Map<string, Move>): Move[] =>
  moves.size === 1 ? [...moves.values()] : [...moves].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, move]) => move)
