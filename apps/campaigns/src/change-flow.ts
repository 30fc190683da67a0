import { fault, notFound, type Fault } from '@herald/contracts/fault'
import { nextDue } from '@herald/contracts/occurrences'
import { findTimeZone } from '@herald/contracts/text'
import { transact } from '@herald/service/postgres'
import type { Campaigns } from './campaigns.ts'
import { isCancelling } from './core/campaign.ts'
import { findCampaign, markCancelled } from './store/campaigns.ts'
import * as store from './store/flows.ts'
import type { Db } from './store/tables.ts'

type One = { appId: string; campaignId: string }

/**
 * Pauses a send under way, or a recurrence. A paused recurrence starts no run; its runs under way go on, since each is a send of its own.
 * Faults: not_found, invalid_state.
 */
export async function pauseCampaign({ db, tell }: Pick<Campaigns, 'db' | 'tell'>, one: One): Promise<{ status: 'paused' }> {
  const paused = await store.changeFlow(db, one, 'pause')
  if (paused) tell(paused)
  else if (!(await store.pauseRecurrence(db, one))) throw await refusal(db, one, 'paused')
  return { status: 'paused' }
}

/**
 * Resumes a paused send; when audience had not started it, audience is pointed at it again. A recurrence resumes with its next occurrence
 * after now: occurrences that lie in the pause are neither caught up nor counted as missed. Faults: not_found, invalid_state.
 */
export async function resumeCampaign(
  { db, tell, pointAt, poke }: Pick<Campaigns, 'db' | 'tell' | 'pointAt' | 'poke'>,
  one: One,
): Promise<{ status: 'sending' | 'active' }> {
  const resumed = await store.changeFlow(db, one, 'resume')
  if (!resumed) {
    if (!(await transact(db, (trx) => resumeRecurrence(trx, one)))) throw await refusal(db, one, 'resumed')
    poke()
    return { status: 'active' }
  }
  tell(resumed)
  if (resumed.isDue) pointAt(resumed.id, resumed.pointerNo)
  return { status: 'sending' }
}

/** Gives false when the campaign is no recurrence, or is not paused. */
async function resumeRecurrence(trx: Db, one: One): Promise<boolean> {
  const paused = await store.lockPausedRecurrence(trx, one)
  if (!paused) return false
  const { schedule, activatedAt, now } = paused
  // A recurrence that is over, or whose time zone the runtime does not know any more, is due now: the sweep ends it.
  const next = findTimeZone(schedule.timezone) ? nextDue(schedule, activatedAt, now) : undefined
  await store.markResumed(trx, one.campaignId, next ?? now)
  return true
}

/**
 * Cancels a campaign that has not started, for its app. Runs that a recurrence has made already are campaigns of their own and go on.
 * Faults: not_found, invalid_state.
 */
export async function cancelCampaign({ db }: Pick<Campaigns, 'db'>, { appId, campaignId }: One): Promise<{ status: 'cancelled' }> {
  if (await markCancelled(db, appId, campaignId)) return { status: 'cancelled' }
  const campaign = await findCampaign(db, appId, campaignId)
  if (!campaign) throw notFound()
  throw fault('invalid_state', `The campaign is ${campaign.status}; only one that has not started can be cancelled.`)
}

/**
 * Cancels a campaign in any status but an ended one, for the administration. A send under way keeps its status until every queued push has an
 * outcome; a second request is answered like the first. Faults: not_found, invalid_state.
 */
export async function endCampaign(
  { db, tell }: Pick<Campaigns, 'db' | 'tell'>,
  one: One,
): Promise<{ status: 'cancelled' | 'sending' | 'paused' }> {
  if (await markCancelled(db, one.appId, one.campaignId)) return { status: 'cancelled' }
  const asked = await store.changeFlow(db, one, 'askCancel')
  if (asked) tell(asked)
  const campaign = asked ?? (await findCampaign(db, one.appId, one.campaignId))
  if (campaign?.cancelling && (campaign.status === 'sending' || campaign.status === 'paused')) return { status: campaign.status }
  throw await refusal(db, one, 'cancelled')
}

async function refusal(db: Db, { appId, campaignId }: One, what: string): Promise<Fault> {
  const campaign = await findCampaign(db, appId, campaignId)
  if (!campaign) return notFound()
  return fault('invalid_state', `The campaign is ${isCancelling(campaign) ? 'being cancelled' : campaign.status}; it cannot be ${what}.`)
}
