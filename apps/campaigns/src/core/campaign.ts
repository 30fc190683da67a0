import type { CampaignFlow } from '@herald/contracts/campaign'
import type { CampaignStatus } from '@herald/contracts/stats'

/**
 * What can happen to a campaign.
 *
 * - `sendNow`, `sendLater`, `sendRecurring`: the campaign is sent. Its schedule decides which of the three it is.
 * - `cancel`: a draft, a scheduled campaign or an active recurrence is cancelled.
 * - `change`: an operator replaces or deletes a draft. `pause`, `resume`, `askCancel`: an operator pauses, resumes or cancels a send under way.
 * - `pauseRecurring`, `resumeRecurring`: an operator pauses or resumes a recurrence. `cancelRecurring`: a paused recurrence is cancelled. A
 *   recurrence sends nothing itself, so its cancel takes effect at once.
 * - `start`: the due time of a scheduled campaign has come. `end`: the `until` of a recurrence has come. `fail`: audience cannot fan the campaign
 *   out, or its schedule cannot be read any more.
 * - `settle`: the tracker says that every queued push has an outcome. `settleCancelled`: a cancel of the send was asked for, and the tracker says the
 *   same, or audience has no fan-out row of the send.
 */
export const campaignActions = [
  'sendNow',
  'sendLater',
  'sendRecurring',
  'start',
  'cancel',
  'settle',
  'settleCancelled',
  'end',
  'fail',
  'change',
  'pause',
  'resume',
  'askCancel',
  'pauseRecurring',
  'resumeRecurring',
  'cancelRecurring',
] as const
export type CampaignAction = (typeof campaignActions)[number]

/**
 * The next status by status and action (spec: campaigns/statuses, campaigns/send-from, campaigns/cancel). An action that the table does not have is
 * not allowed: a caller is answered 409 invalid_state, and a repeated message changes nothing.
 */
const transitions: Record<CampaignStatus, Partial<Record<CampaignAction, CampaignStatus>>> = {
  draft: { sendNow: 'sending', sendLater: 'scheduled', sendRecurring: 'active', cancel: 'cancelled', change: 'draft' },
  scheduled: { sendNow: 'sending', sendLater: 'scheduled', sendRecurring: 'active', start: 'sending', cancel: 'cancelled', fail: 'failed' },
  sending: { settle: 'sent', settleCancelled: 'cancelled', fail: 'failed', pause: 'paused', askCancel: 'sending' },
  active: { cancel: 'cancelled', end: 'sent', fail: 'failed', pauseRecurring: 'paused' },
  paused: {
    resume: 'sending',
    settle: 'sent',
    settleCancelled: 'cancelled',
    fail: 'failed',
    askCancel: 'paused',
    resumeRecurring: 'active',
    cancelRecurring: 'cancelled',
  },
  sent: {},
  cancelled: {},
  failed: {},
}

/** A send that could not be begun this many times by its own fault fails (spec: sending/failed-start). */
export const mostFailedStarts = 5

/** Gives the status after an action; undefined when the status does not allow the action. */
export const nextStatus = (status: CampaignStatus, action: CampaignAction): CampaignStatus | undefined => transitions[status][action]

/** Gives the statuses in which an action is allowed, for the `where status in (…)` of its update. */
export const statusesThatAllow = (action: CampaignAction): CampaignStatus[] =>
  (Object.keys(transitions) as CampaignStatus[]).filter((status) => transitions[status][action] !== undefined)

/**
 * Gives the status that an action leads to. That status is the same from every status that allows the action, so an update need not know the status
 * before. `askCancel` leads to no new status: the status stays until the send ends.
 */
export function statusAfter(action: Exclude<CampaignAction, 'askCancel'>): CampaignStatus {
  const [after] = statusesThatAllow(action).map((status) => nextStatus(status, action))
  if (!after) throw new Error(`no status allows ${action}`)
  return after
}

/** Says whether a cancel of a send was asked for and the send has not ended yet. */
export const isCancelling = ({ cancelling, settledAt }: { cancelling: boolean; settledAt: Date | null }): boolean =>
  cancelling && settledAt === null

/** Gives the flow that audience is told. A send that has already ended as cancelled gives `cancelled` too, in case audience starts it late. */
export function flowOf({ status, cancelling }: { status: CampaignStatus; cancelling: boolean }): CampaignFlow {
  if (cancelling || status === 'cancelled') return 'cancelled'
  return status === 'paused' ? 'paused' : 'running'
}
