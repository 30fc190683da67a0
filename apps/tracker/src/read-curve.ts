import type { Curve } from '@herald/contracts/series'
import { stepSeconds } from './core/series.ts'
import { findLargeCampaign, findSteps } from './store/large-campaigns.ts'
import type { Tracker } from './tracker.ts'

/**
 * Gives how many reports devices sent about a campaign over time (spec: administration/curve); no points for one of at most 1,000 pushes. Null when
 * no fan-out has reported the campaign, or it belongs to another app.
 */
export async function readCurve(
  { db }: Pick<Tracker, 'db'>,
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<Curve | null> {
  const campaign = await findLargeCampaign(db, appId, campaignId)
  if (!campaign) return null
  const { startedAt, isLarge: kept } = campaign
  const steps = kept ? await findSteps(db, campaignId) : []
  const byStep = new Map(steps.map((step) => [step.step, step]))
  const points = Array.from({ length: (steps.at(-1)?.step ?? -1) + 1 }, (_, step) => {
    const { delivered = 0, opened = 0, clicked = 0, dismissed = 0, converted = 0 } = byStep.get(step) ?? {}
    return { afterSeconds: stepSeconds(step), delivered, opened, clicked, dismissed, converted }
  })
  return { startedAt: startedAt.toISOString(), kept, points }
}
