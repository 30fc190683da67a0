import { fault, notFound, type Fault } from '@herald/contracts/fault'
import { nextDue } from '@herald/contracts/occurrences'
import { findTimeZone } from '@herald/contracts/text'
import { transact } from '@herald/service/postgres'
import type { Campaigns } from './campaigns.ts'
import { isCancelling } from './core/campaign.ts'
import { deleteUnsentWinner, findCampaign, markCancelled, markUnsent, type Started } from './store/campaigns.ts'
import * as store from './store/flows.ts'
import type { Db } from './store/tables.ts'

type One = { appId: string; campaignId: string }

/**
 * Pauses a send under way, or a recurrence. While a recurrence is paused it starts no run. A run that has started goes on, because each run is a
 * campaign of its own. Faults: not_found, invalid_state.
 */
export async function pauseCampaign({ db, tell }: Pick<Campaigns, 'db' | 'tell'>, one: One): Promise<{ status: 'paused' }> {
  const paused = await store.changeFlow(db, one, 'pause')
  if (paused) tell(paused)
  else if (!(await store.pauseRecurrence(db, one))) throw await refusal(db, one, 'paused')
  return { status: 'paused' }
}

/**
 * Resumes a paused send or recurrence. Audience gets a new pointer when it has not started the send. A recurrence goes on with its next occurrence;
 * those during the pause are neither run nor missed. Faults: not_found, invalid_state.
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

async function resumeRecurrence(trx: Db, one: One): Promise<boolean> {
  const paused = await store.lockPausedRecurrence(trx, one)
  if (!paused) return false
  const { schedule, activatedAt, now } = paused
  // A recurrence that is over, or whose time zone the runtime no longer knows, is due now: the sweep ends the first as sent, the second as failed.
  const next = findTimeZone(schedule.timezone) ? nextDue(schedule, activatedAt, now) : undefined
  await store.markResumed(trx, one.campaignId, next ?? now)
  return true
}

/**
 * Cancels a campaign that has not started, or a recurrence, at the request of the app's backend. Runs that a recurrence has already made go on,
 * because each is a campaign of its own. Faults: not_found, invalid_state.
 */
export async function cancelCampaign({ db }: Pick<Campaigns, 'db'>, { appId, campaignId }: One): Promise<{ status: 'cancelled' }> {
  if (await markCancelled(db, appId, campaignId)) return { status: 'cancelled' }
  const campaign = await findCampaign(db, appId, campaignId)
  if (!campaign) throw notFound()
  throw fault('invalid_state', `The campaign is ${campaign.status}; only one that has not started can be cancelled.`)
}

/**
 * Takes a campaign back that has not begun, and answers the draft that it is again; of a winner the experiment, which is open again. The row's lock
 * orders this and the start (spec: campaigns/unsend-or-start). Faults: not_found, invalid_state.
 */
export async function unsendCampaign({ db }: Pick<Campaigns, 'db'>, one: One): Promise<{ id: string; status: 'draft' | 'sent' }> {
  const { appId, campaignId } = one
  if (await markUnsent(db, appId, campaignId)) return { id: campaignId, status: 'draft' }
  const experiment = await deleteUnsentWinner(db, appId, campaignId)
  if (experiment !== undefined) return { id: experiment, status: 'sent' }
  throw await refusal(db, one, 'taken back')
}

/**
 * Cancels a campaign that has not ended, at the request of an operator. A send under way keeps its status until it ends, and asking again until then
 * gets the same answer. Faults: not_found, invalid_state.
 */
export async function endCampaign(
  { db, tell }: Pick<Campaigns, 'db' | 'tell'>,
  one: One,
): Promise<{ status: 'cancelled' | 'sending' | 'paused' }> {
  const { status, asked } = await endWithin(db, one)
  if (asked) tell(asked)
  return { status }
}

/** Cancels a campaign that has not ended, as `endCampaign`; audience is to be told of `asked` once that is committed. */
export async function endWithin(db: Db, one: One): Promise<{ status: 'cancelled' | 'sending' | 'paused'; asked?: Started | undefined }> {
  if (await markCancelled(db, one.appId, one.campaignId)) return { status: 'cancelled' }
  const asked = await store.changeFlow(db, one, 'askCancel')
  const campaign = asked ?? (await findCampaign(db, one.appId, one.campaignId))
  if (campaign?.cancelling && (campaign.status === 'sending' || campaign.status === 'paused')) return { status: campaign.status, asked }
  throw await refusal(db, one, 'cancelled')
}

async function refusal(db: Db, { appId, campaignId }: One, what: string): Promise<Fault> {
  const campaign = await findCampaign(db, appId, campaignId)
  if (!campaign) return notFound()
  if (what === 'taken back' && campaign.recallOf !== null && campaign.status === 'scheduled')
    return fault('invalid_state', 'A recall is no draft that could be taken back. Cancel it instead.')
  return fault('invalid_state', `The campaign is ${isCancelling(campaign) ? 'being cancelled' : campaign.status}; it cannot be ${what}.`)
}
