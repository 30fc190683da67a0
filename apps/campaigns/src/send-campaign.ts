import { listTimeZones } from '@herald/contracts/calls/audience'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Schedule } from '@herald/contracts/campaign'
import { fault, notFound, type Fault } from '@herald/contracts/fault'
import type { CampaignStatus } from '@herald/contracts/stats'
import { findTimeZone } from '@herald/contracts/text'
import type { Campaigns } from './campaigns.ts'
import { statusesThatAllow } from './core/campaign.ts'
import { delayed, planSend, type Plan } from './core/schedule.ts'
import { copySegment } from './send-notification.ts'
import { findForSend } from './store/categories.ts'
import { findCampaign, findSendable, markSent } from './store/campaigns.ts'

/**
 * Sends a campaign now or after the delay, or starts its schedule. Changes nothing when another request has replaced the draft or changed its status
 * meanwhile. Faults: not_found (the campaign or its segment), invalid_segment, invalid_state.
 */
export async function sendCampaign(
  { db, bus, pointAt, poke }: Pick<Campaigns, 'db' | 'bus' | 'pointAt' | 'poke'>,
  {
    appId,
    campaignId,
    defaultTimezone,
    delaySeconds = 0,
    seen,
  }: {
    appId: string
    campaignId: string
    defaultTimezone: string
    delaySeconds?: number | undefined
    seen?: { revision: number; target: FrozenTarget } | undefined
  },
): Promise<{ status: 'sending' | 'scheduled' | 'active'; nextAt: string | null }> {
  const campaign = await findSendable(db, appId, campaignId)
  if (!campaign) throw notFound()
  const { status, revision, segmentId, isWinner, isRecall, silent, hasContent, now } = campaign
  const schedule = campaign.schedule ?? { type: 'now' }
  // `sendNow`, `sendLater` and `sendRecurring` are allowed in the same statuses, so checking one is enough.
  if (!statusesThatAllow('sendNow').includes(status)) throw notSendable(status)

  if (isRecall)
    throw fault('invalid_state', 'A recall begins by itself, once every push of the campaign has an outcome. Cancel it if it is not to.')

  if (seen && seen.revision !== revision) throw replacedMeanwhile()

  // A winner keeps the target that was frozen with its experiment.
  const target = segmentId === null || isWinner ? campaign.target : (seen?.target ?? (await copySegment(bus, appId, segmentId)))
  if (!target || target.kind === 'forgotten' || (!hasContent && !silent)) throw nothingToSend()
  // The category is frozen as it is now, like the segment. A winner keeps its experiment's.
  const category = campaign.category && !isWinner ? (await findForSend(db, appId, campaign.category.id))?.category : undefined
  if (campaign.category && !isWinner && !category) throw categoryIsGone()
  const plan = delayed(await planNow(bus, { appId, schedule, now, defaultTimezone }), now, delaySeconds)
  if (plan.action === 'unplanned') throw fault('invalid_state', plan.why)

  const sent = await markSent(db, campaignId, { dueAt: null, localTimesAfter: null, ...plan, target, category, revision })
  if (sent === 'sending') pointAt(campaignId)
  else poke()
  if (sent === 'sending' || sent === 'scheduled' || sent === 'active')
    return { status: sent, nextAt: plan.action === 'sendNow' ? null : plan.dueAt.toISOString() }
  const current = await findCampaign(db, appId, campaignId)
  if (!current) throw notFound()
  throw statusesThatAllow('sendNow').includes(current.status) ? replacedMeanwhile() : notSendable(current.status)
}

/** Plans a campaign that is sent now. `defaultTimezone` is the app's time zone for users without one. */
export const planNow = async (
  bus: Campaigns['bus'],
  { appId, schedule, now, defaultTimezone }: { appId: string; schedule: Schedule; now: Date; defaultTimezone: string },
): Promise<Plan> => planSend(schedule, now, schedule.type === 'user_timezone' ? await findZones(bus, appId, defaultTimezone) : [])

/** Gives the time zones of an app's users and the default zone. Zones that the runtime does not know are left out; UTC when none is left. */
async function findZones(bus: Campaigns['bus'], appId: string, defaultTimezone: string): Promise<string[]> {
  const { zones } = await bus.call(listTimeZones, { appId })
  const known = [...new Set([...zones, defaultTimezone])].filter((zone) => findTimeZone(zone))
  return known.length > 0 ? known : ['UTC']
}

const categoryIsGone = (): Fault =>
  fault('invalid_state', 'The category of the campaign was deleted. Give the campaign another category, or none.')

export const nothingToSend = (): Fault => fault('invalid_state', 'The campaign has no content to send.')

const notSendable = (status: CampaignStatus): Fault =>
  fault('invalid_state', `The campaign is ${status}; only a draft or a scheduled campaign can be sent.`)

const replacedMeanwhile = (): Fault =>
  fault('invalid_state', 'The campaign was changed while it was being sent. Look at it and send it again.')
