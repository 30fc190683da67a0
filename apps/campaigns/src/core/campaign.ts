import type { CampaignFlow, FlowChange } from '@herald/contracts/campaign'
import type { CampaignStatus } from '@herald/contracts/stats'

/** What can happen to a campaign. */
export const campaignActions = [
  // The campaign is sent; its schedule decides which of these three it is.
  'sendNow',
  'sendLater',
  'sendRecurring',
  // The due time of a scheduled campaign has come.
  'start',
  // A draft, a scheduled campaign or an active recurrence is cancelled.
  'cancel',
  // An operator takes a scheduled campaign back before it begins.
  'unsend',
  // The tracker says that every queued push has an outcome.
  'settle',
  // A cancel of the send was asked for, and every queued push has an outcome or audience has no fan-out row of the send.
  'settleCancelled',
  // The `until` of a recurrence has come.
  'end',
  // Audience cannot fan the campaign out, or its schedule cannot be read any more.
  'fail',
  // An operator replaces or deletes a draft.
  'change',
  // An operator pauses, resumes or cancels a send under way.
  'pause',
  'resume',
  'askCancel',
  // An operator changes the rate; the status stays.
  'changeRate',
  // An operator pauses or resumes a recurrence.
  'pauseRecurring',
  'resumeRecurring',
  // A paused recurrence is cancelled. A recurrence sends nothing itself, so its cancel takes effect at once.
  'cancelRecurring',
] as const
export type CampaignAction = (typeof campaignActions)[number]

/**
 * The next status by status and action (spec: campaigns/statuses, campaigns/send-from, campaigns/cancel). An action that the table does not have is
 * not allowed: a caller is answered 409 invalid_state, and a repeated message changes nothing.
 */
const transitions: Record<CampaignStatus, Partial<Record<CampaignAction, CampaignStatus>>> = {
  draft: { sendNow: 'sending', sendLater: 'scheduled', sendRecurring: 'active', cancel: 'cancelled', change: 'draft', changeRate: 'draft' },
  scheduled: {
    sendNow: 'sending',
    sendLater: 'scheduled',
    sendRecurring: 'active',
    start: 'sending',
    cancel: 'cancelled',
    unsend: 'draft',
    fail: 'failed',
    changeRate: 'scheduled',
  },
  sending: { settle: 'sent', settleCancelled: 'cancelled', fail: 'failed', pause: 'paused', askCancel: 'sending', changeRate: 'sending' },
  active: { cancel: 'cancelled', end: 'sent', fail: 'failed', pauseRecurring: 'paused', changeRate: 'active' },
  paused: {
    resume: 'sending',
    settle: 'sent',
    settleCancelled: 'cancelled',
    fail: 'failed',
    askCancel: 'paused',
    resumeRecurring: 'active',
    cancelRecurring: 'cancelled',
    changeRate: 'paused',
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
 * Gives the status that an action leads to: the same from every status that allows it, so an update need not know the status before. `askCancel` and
 * `changeRate` lead to none: the status stays.
 */
export function statusAfter(action: Exclude<CampaignAction, 'askCancel' | 'changeRate'>): CampaignStatus {
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

/** Gives the last change of a send's flow, with its rate when it has or had one. */
export const changeOf = ({
  flowNo,
  perMinute,
  ...row
}: {
  status: CampaignStatus
  cancelling: boolean
  flowNo: number
  perMinute: number | null
}): FlowChange => ({ flow: flowOf(row), no: flowNo, ...(perMinute === null ? {} : { perMinute }) })
