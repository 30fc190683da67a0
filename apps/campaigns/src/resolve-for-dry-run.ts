import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { CreateCampaign, Schedule } from '@herald/contracts/campaign'
import { fault, notFound } from '@herald/contracts/fault'
import type { SendNotification } from '@herald/contracts/notification'
import { freeze } from './core/frozen-send.ts'
import { resolveDraft } from './create-campaign.ts'
import { nothingToSend, planNow } from './send-campaign.ts'
import { copySegment, notificationName, resolveNotification, type Resolving } from './send-notification.ts'
import { findSendable, findWhole, type CampaignRow } from './store/campaigns.ts'
import { readClock } from './store/due.ts'

type Asked = {
  appId: string
  defaultTimezone: string
  notification?: SendNotification | undefined
  campaign?: CreateCampaign | undefined
  campaignId?: string | undefined
}
/** `startsAt`: when the schedule begins, as an ISO time; null when the send begins at once. `revision`: of a stored campaign. */
type Resolved = { send: FrozenSend; target: FrozenTarget; startsAt: string | null; revision?: number }

/**
 * The campaign id in a dry run of a body that is not stored. No campaign has this id. The id is always the same, so that repeating a dry run chooses
 * the same variants and samples.
 */
const noCampaign = '0'.repeat(24)

/**
 * Gives the send that a request would become now, after the same checks, and writes nothing (spec: sending/dry-run). Faults: not_found;
 * invalid_segment and invalid_body with paths of the body; invalid_state (no content or target, or `until` has passed).
 */
export async function resolveForDryRun(resolving: Resolving, asked: Asked): Promise<Resolved> {
  const { notification, campaign, campaignId } = asked
  if (notification) return ofNotification(resolving, asked.appId, notification)
  if (campaign) return ofBody(resolving, asked, campaign)
  return ofStored(resolving, asked, campaignId ?? '')
}

async function ofNotification(resolving: Resolving, appId: string, notification: SendNotification): Promise<Resolved> {
  const { send, target } = await resolveNotification(resolving, appId, notification)
  const sending = { ...send, id: noCampaign, appId, name: notificationName, transactional: true, schedule: null, experiment: null }
  return { send: freeze({ ...sending, remainder: null, localTimesAfter: null }), target, startsAt: null }
}

async function ofBody(resolving: Resolving, asked: Asked, campaign: CreateCampaign): Promise<Resolved> {
  const { appId } = asked
  const draft = await resolveDraft(resolving, appId, campaign)
  const target = draft.segmentId === null ? draft.target : await copySegment(resolving.bus, appId, draft.segmentId)
  if (!target) throw nothingToSend()
  const { startsAt, localTimesAfter } = await begins(resolving, asked, campaign.schedule)
  const { name, schedule, experiment, send } = draft
  const sending = { ...send, id: noCampaign, appId, name, transactional: false, schedule, experiment, remainder: null, localTimesAfter }
  return { send: freeze(sending), target, startsAt }
}

/** Gives the send of a stored campaign, which may have any status. */
async function ofStored(resolving: Resolving, asked: Asked, campaignId: string): Promise<Resolved> {
  const { db, bus } = resolving
  const { appId } = asked
  // The revision is read first: a draft that is replaced in between then has a later one, and is not sent as if it had been seen.
  const revision = (await findSendable(db, appId, campaignId))?.revision
  const row = await findWhole(db, appId, campaignId)
  if (!row || revision === undefined) throw notFound()
  if (row.recallOf !== null)
    throw fault('invalid_state', `A recall goes to the devices to which ${row.recallOf} was sent: that campaign’s counters say how many.`)
  const target = row.target ?? (row.segmentId === null ? null : await copySegment(bus, appId, row.segmentId))
  if (!target || (row.content === null && !row.silent)) throw nothingToSend()
  const { startsAt, localTimesAfter } = await storedBegins(resolving, asked, row)
  return { send: freeze({ ...row, localTimesAfter }), target, startsAt, revision }
}

type Begins = { startsAt: string | null; localTimesAfter: Date | null }

/**
 * Says when a stored campaign begins: when it is due, if scheduled or active, otherwise as if it were sent now. A sent recurrence that is over has no
 * next time and counts as beginning at once.
 */
async function storedBegins(resolving: Resolving, asked: Asked, row: CampaignRow): Promise<Begins> {
  const { status, dueAt, localTimesAfter } = row
  if ((status === 'scheduled' || status === 'active') && dueAt) return { startsAt: dueAt.toISOString(), localTimesAfter }
  const schedule = row.schedule ?? { type: 'now' }
  if (status !== 'draft' && schedule.type === 'recurring') {
    const plan = await planNow(resolving.bus, { ...asked, schedule, now: await readClock(resolving.db) })
    return { startsAt: plan.action === 'sendRecurring' ? plan.dueAt.toISOString() : null, localTimesAfter: null }
  }
  return begins(resolving, asked, schedule)
}

/** Says when a campaign begins if it is sent now. Fault: invalid_state for a schedule that never begins. */
async function begins({ db, bus }: Resolving, asked: Asked, schedule: Schedule): Promise<Begins> {
  const plan = await planNow(bus, { ...asked, schedule, now: await readClock(db) })
  switch (plan.action) {
    case 'sendNow':
      return { startsAt: null, localTimesAfter: null }
    case 'unplanned':
      throw fault('invalid_state', plan.why)
    case 'sendLater':
      return { startsAt: plan.dueAt.toISOString(), localTimesAfter: plan.localTimesAfter ?? null }
    default:
      return { startsAt: plan.dueAt.toISOString(), localTimesAfter: null }
  }
}
