import type { EngagementKind } from '@herald/contracts/event'
import type { OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'

/** How far the counters of an app's present hour move, as statements of migrations/0105 take it. */
export type HourMove = { app_id: string; platform: Platform } & Partial<Record<OutcomeKind | EngagementKind, number>>

/** Pushes of a campaign that failed or were skipped alike, as statements of migrations/0105 take it. */
export type CodeMove = { campaign_id: string; app_id: string; platform: Platform; outcome: OutcomeKind; code: string; count: number }

/** What was new. `code`: of pushes that failed or were skipped, else empty. */
export type HourCounted = {
  campaignId: string
  appId: string
  platform: Platform
  kind: OutcomeKind | EngagementKind
  code: string
  count: number
}

/**
 * Adds up what was new by app and platform, and by campaign, platform and code for what has one. Each list is in the order of its key, in
 * which all writers lock. Tests are counted in no series (spec: administration/series-tests): the caller leaves them out.
 */
export function hourMoves(counted: HourCounted[]): { hours: HourMove[]; codes: CodeMove[] } {
  const hours = new Map<string, HourMove>()
  const codes = new Map<string, CodeMove>()
  for (const { campaignId, appId, platform, kind, code, count } of counted) {
    const key = `${appId} ${platform}`
    let move = hours.get(key)
    if (!move) hours.set(key, (move = { app_id: appId, platform }))
    move[kind] = (move[kind] ?? 0) + count
    if (code === '' || (kind !== 'failed' && kind !== 'skipped')) continue
    const codeKey = `${campaignId} ${platform} ${kind} ${code}`
    const known = codes.get(codeKey)
    if (known) known.count += count
    else codes.set(codeKey, { campaign_id: campaignId, app_id: appId, platform, outcome: kind, code, count })
  }
  return { hours: inOrder(hours), codes: inOrder(codes) }
}

const inOrder = <Move>(moves: Map<string, Move>): Move[] =>
  moves.size === 1 ? [...moves.values()] : [...moves].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, move]) => move)
