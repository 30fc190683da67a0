import { listTimeZones } from '@herald/contracts/calls/audience'
import type { Schedule } from '@herald/contracts/campaign'
import { fault, notFound, type Fault } from '@herald/contracts/fault'
import type { CampaignStatus } from '@herald/contracts/stats'
import { findTimeZone } from '@herald/contracts/text'
import type { Bus } from '@herald/service/bus'
import { statusesThatAllow } from './core/campaign.ts'
import { planSend, type Plan } from './core/schedule.ts'
import { copySegment } from './send-notification.ts'
import { findCampaign, findSendable, markSent } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

/**
 * Sends a campaign now, or sets its schedule going. Order: status, the saved segment (its definition is copied now), what cannot be
 * sent, and then the one update that decides between this, a cancel and another send.
 * Faults: not_found (also its segment), invalid_segment, invalid_state.
 */
export async function sendCampaign(
  { db, bus, pointAt, poke }: { db: Db; bus: Pick<Bus, 'call'>; pointAt: (campaignId: string) => void; poke: () => void },
  { appId, campaignId, defaultTimezone }: { appId: string; campaignId: string; defaultTimezone: string },
): Promise<{ status: 'sending' | 'scheduled' | 'active' }> {
  const campaign = await findSendable(db, appId, campaignId)
  if (!campaign) throw notFound()
  const { status, revision, segment_id, silent, has_content, now } = campaign
  const schedule = campaign.schedule ?? { type: 'now' }
  // Every way of sending starts from the same statuses.
  if (!statusesThatAllow('sendNow').includes(status)) throw notSendable(status)

  const target = segment_id === null ? campaign.target : await copySegment(bus, appId, segment_id)
  if (!target || (!has_content && !silent)) throw nothingToSend()
  const plan = await planNow(bus, { appId, schedule, now, defaultTimezone })
  if (plan.action === 'unplanned') throw fault('invalid_state', plan.why)

  const sent = await markSent(db, campaignId, { dueAt: null, localTimesAfter: null, ...plan, target, revision })
  if (sent === 'sending') pointAt(campaignId)
  else poke()
  if (sent === 'sending' || sent === 'scheduled' || sent === 'active') return { status: sent }
  const current = await findCampaign(db, appId, campaignId)
  if (!current) throw notFound()
  throw statusesThatAllow('sendNow').includes(current.status) ? replacedMeanwhile() : notSendable(current.status)
}

/** What a schedule leads to when it is sent now. `defaultTimezone` is the app's, for users without one. */
export const planNow = async (
  bus: Pick<Bus, 'call'>,
  { appId, schedule, now, defaultTimezone }: { appId: string; schedule: Schedule; now: Date; defaultTimezone: string },
): Promise<Plan> => planSend(schedule, now, schedule.type === 'user_timezone' ? await findZones(bus, appId, defaultTimezone) : [])

/** The zones that a send at each user's local time has to look at, at least one. A zone that the runtime does not know any more is nobody's. */
async function findZones(bus: Pick<Bus, 'call'>, appId: string, defaultTimezone: string): Promise<string[]> {
  const { zones } = await bus.call(listTimeZones, { appId })
  const known = [...new Set([...zones, defaultTimezone])].filter((zone) => findTimeZone(zone))
  return known.length > 0 ? known : ['UTC']
}

export const nothingToSend = (): Fault => fault('invalid_state', 'The campaign has no content to send.')

const notSendable = (status: CampaignStatus): Fault =>
  fault('invalid_state', `The campaign is ${status}; only a draft or a scheduled campaign can be sent.`)

const replacedMeanwhile = (): Fault =>
  fault('invalid_state', 'The campaign was changed while it was being sent. Look at it and send it again.')
