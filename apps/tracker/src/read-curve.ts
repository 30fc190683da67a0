import type { Curve } from '@herald/contracts/series'
import { stepSeconds, stepsUpTo } from './core/series.ts'
import { findCurve, findSteps } from './store/large-campaigns.ts'
import type { Tracker } from './tracker.ts'

/**
 * Gives how many reports devices sent about a campaign over time (spec: administration/curve); no points for a notification of at most 1,000
 * pushes. Null when no fan-out has reported the campaign, or it belongs to another app.
 */
export async function readCurve(
  { db }: Pick<Tracker, 'db'>,
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<Curve | null> {
  const campaign = await findCurve(db, appId, campaignId)
  if (!campaign) return null
  const { startedAt, isKept: kept } = campaign
  const steps = kept ? await findSteps(db, campaignId) : []
  // In a curve from before migration 0207 ten minutes of the first hour are one step, which begins when one of the minutes does.
  const bySeconds = Map.groupBy(steps, ({ step }) => stepSeconds(step))
  const points = stepsUpTo(steps.at(-1)?.step ?? -Infinity).map((step) => {
    const point = { afterSeconds: stepSeconds(step), delivered: 0, opened: 0, clicked: 0, dismissed: 0, converted: 0 }
    for (const of of bySeconds.get(point.afterSeconds) ?? [])
      for (const kind of ['delivered', 'opened', 'clicked', 'dismissed', 'converted'] as const) point[kind] += of[kind]
    return point
  })
  return { startedAt: startedAt.toISOString(), kept, points }
}
