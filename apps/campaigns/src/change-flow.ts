import { fault, notFound, type Fault } from '@herald/contracts/fault'
import { findTimeZone } from '@herald/contracts/text'
import { transact } from '@herald/service/postgres'
import { isCancelling } from './core/campaign.ts'
import { nextDue } from '@herald/contracts/occurrences'
import * as store from './store/flows.ts'
import { findWhole, markCancelled, type Started } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

type One = { appId: string; campaignId: string }
/** `tell`: audience, in the background and until it has answered. */
type Changing = { db: Db; tell: (change: Started) => void; pointAt: (campaignId: string, pointerNo: number) => void; poke: () => void }

/**
 * Stops a send under way, or a recurrence: then no run begins, and those under way go on, each a send of its own. Faults: not_found,
 * invalid_state.
 */
export async function pauseCampaign({ db, tell }: Changing, one: One): Promise<{ status: 'paused' }> {
  const paused = await store.changeFlow(db, one, 'pause')
  if (paused) tell(paused)
  else if (!(await store.pauseRecurrence(db, one))) throw await refusal(db, one, 'paused')
  return { status: 'paused' }
}

/**
 * Lets a paused send go on; one that audience had not started is pointed at again. A recurrence goes on with its next occurrence after now:
 * none of the pause is caught up, nor counted as missed. Faults: not_found, invalid_state.
 */
export async function resumeCampaign({ db, tell, pointAt, poke }: Changing, one: One): Promise<{ status: 'sending' | 'active' }> {
  const resumed = await store.changeFlow(db, one, 'resume')
  if (!resumed) {
    if (!(await transact(db, (trx) => resumeRecurrence(trx, one)))) throw await refusal(db, one, 'resumed')
    poke()
    return { status: 'active' }
  }
  tell(resumed)
  if (resumed.is_due) pointAt(resumed.id, resumed.pointer_no)
  return { status: 'sending' }
}

/** False: it is no recurrence, or not paused. */
async function resumeRecurrence(trx: Db, one: One): Promise<boolean> {
  const paused = await store.lockPausedRecurrence(trx, one)
  if (!paused) return false
  const { schedule, activatedAt, now } = paused
  // What is over, or has a zone that is not known any more, is due now: the sweep ends it as such.
  const next = findTimeZone(schedule.timezone) ? nextDue(schedule, activatedAt, now) : undefined
  await store.markResumed(trx, one.campaignId, next ?? now)
  return true
}

/**
 * Cancels in any status but an ended one. A send under way keeps its status until every push has an outcome; asked again, it answers the
 * same. Faults: not_found, invalid_state.
 */
export async function endCampaign({ db, tell }: Changing, one: One): Promise<{ status: 'cancelled' | 'sending' | 'paused' }> {
  if (await markCancelled(db, one.appId, one.campaignId)) return { status: 'cancelled' }
  const asked = await store.changeFlow(db, one, 'askCancel')
  if (asked) tell(asked)
  const campaign = asked ?? (await findWhole(db, one.appId, one.campaignId))
  if (campaign?.cancelling && (campaign.status === 'sending' || campaign.status === 'paused')) return { status: campaign.status }
  throw await refusal(db, one, 'cancelled')
}

async function refusal(db: Db, { appId, campaignId }: One, what: string): Promise<Fault> {
  const campaign = await findWhole(db, appId, campaignId)
  if (!campaign) return notFound()
  return fault('invalid_state', `The campaign is ${isCancelling(campaign) ? 'being cancelled' : campaign.status}; it cannot be ${what}.`)
}
