import { fault, notFound, type Fault } from '@herald/contracts/fault'
import type { CampaignStatus } from '@herald/contracts/stats'
import type { Bus } from '@herald/service/bus'
import { statusesThatAllow } from './core/campaign.ts'
import { planSend } from './core/schedule.ts'
import { copySegment } from './send-notification.ts'
import { findCampaign, findDecidable, markSent } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

/**
 * Sends a campaign now, or sets its schedule going. Order: status, the saved segment (its definition is copied now), what cannot be
 * sent, and then the one update that decides between this, a cancel and another send.
 * Faults: not_found (also its segment), invalid_segment, invalid_state.
 */
export async function sendCampaign(
  { db, bus, pointAt, poke }: { db: Db; bus: Pick<Bus, 'call'>; pointAt: (campaignId: string) => void; poke: () => void },
  { appId, campaignId }: { appId: string; campaignId: string },
): Promise<{ status: 'sending' | 'scheduled' | 'active' }> {
  const campaign = await findDecidable(db, appId, campaignId)
  if (!campaign) throw notFound()
  const { status, segment_id, schedule, experiment, silent, has_content, now } = campaign
  const plan = planSend(schedule ?? { type: 'now' }, now)
  if (!statusesThatAllow(plan.action === 'unplanned' ? 'sendNow' : plan.action).includes(status)) throw notSendable(status)

  const target = segment_id === null ? campaign.target : await copySegment(bus, appId, segment_id)
  if (!target || (!has_content && !silent)) throw fault('invalid_state', 'The campaign has no content to send.')
  if (plan.action === 'unplanned') throw fault('invalid_state', plan.why)
  if (experiment) throw fault('invalid_state', 'Sending an experiment is not available yet.')

  const dueAt = plan.action === 'sendNow' ? null : plan.dueAt
  const sent = await markSent(db, campaignId, { action: plan.action, dueAt, target })
  if (sent === 'sending') pointAt(campaignId)
  else poke()
  if (sent === 'sending' || sent === 'scheduled' || sent === 'active') return { status: sent }
  const current = await findCampaign(db, appId, campaignId)
  throw current ? notSendable(current.status) : notFound()
}

const notSendable = (status: CampaignStatus): Fault =>
  fault('invalid_state', `The campaign is ${status}; only a draft or a scheduled campaign can be sent.`)
