import type { CampaignFlow } from '@herald/contracts/calls/audience'
import type { CampaignStatus } from '@herald/contracts/stats'

/**
 * What can happen to a campaign. `send…` and `cancel` are the public operations (send by its schedule), `start` its due time, `settle` the
 * tracker's word that every queued push has an outcome, `settleCancelled` the same when administration has cancelled a send
 * under way, `end` a recurrence past its `until`, `fail` a segment or a schedule that no longer has a meaning; `change` (replace, delete),
 * `pause`, `resume` and `askCancel` are administration's. `…Recurring` is the same of a recurrence: paused, it makes no runs; it sends
 * nothing itself, so its cancel is over at once.
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
 * Status × action → the next status (spec: campaigns/statuses, campaigns/send-from, campaigns/cancel). What is not here is not allowed: 409 invalid_state
 * where a caller asked, nothing at all where it was a repeat.
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

/** The status after an action, or undefined when the action is not allowed now. */
export const nextStatus = (status: CampaignStatus, action: CampaignAction): CampaignStatus | undefined => transitions[status][action]

/** The statuses in which an action is allowed: the `where status in (…)` of its update. */
export const statusesThatAllow = (action: CampaignAction): CampaignStatus[] =>
  (Object.keys(transitions) as CampaignStatus[]).filter((status) => transitions[status][action] !== undefined)

/**
 * Where an action leads; it is the same from every status that allows it, so that an update needs not know where it came from. Not for
 * `askCancel`, which leaves the status until the last push has an outcome.
 */
export function statusAfter(action: Exclude<CampaignAction, 'askCancel'>): CampaignStatus {
  const [after] = statusesThatAllow(action).map((status) => nextStatus(status, action))
  if (!after) throw new Error(`no status allows ${action}`)
  return after
}

/** A send whose cancel was asked for and whose last pushes are still on their way. */
export const isCancelling = ({ cancelling, settled_at }: { cancelling: boolean; settled_at: Date | null }): boolean =>
  cancelling && settled_at === null

/** Whether a send goes on, as audience is told. One that was cancelled before audience had it stays so for a pointer that comes late. */
export function flowOf({ status, cancelling }: { status: CampaignStatus; cancelling: boolean }): CampaignFlow {
  if (cancelling || status === 'cancelled') return 'cancelled'
  return status === 'paused' ? 'paused' : 'running'
}
