import type { AppSettings } from '@herald/contracts/app'
import { previewSegment } from '@herald/contracts/calls/audience'
import { getCampaign, resolveSend } from '@herald/contracts/calls/campaigns'
import { Fault, fault } from '@herald/contracts/fault'
import type { Gateway } from '../gateway.ts'
import { shownApproval, whyNotConfirm, type Approval, type ShownApproval, type Who } from './core/approval.ts'
import { beginConfirming, deleteApproval, endConfirming, findApprovals, insertApproval, withdrawApproval } from './store/approvals.ts'

type Needs = Pick<Gateway, 'db' | 'bus'>
type Of = { appId: string; campaignId: string }

/** The answer when a campaign stays a draft until somebody else confirms it. */
export type AskedFor = { status: 'draft'; nextAt: null; approval: ShownApproval }

/**
 * Sends a draft, or asks for a second person when it goes to more devices than the app allows (spec: administration/approval). Faults: forbidden (who
 * asked cannot confirm), invalid_state, and those of the send.
 */
export async function sendOrAsk<Sent>(
  needs: Needs,
  of: Of,
  { who, settings, send }: { who: Who; settings: AppSettings; send: () => Promise<Sent> },
): Promise<Sent | AskedFor> {
  const { approval: rule } = settings
  if (rule === null) return sendAndForget(needs, of, send)
  const asked = await askedFor(needs, of)
  if (asked) return confirm(needs, of, { asked, who, send })

  // A campaign that is no draft is refused by the send itself.
  const { status } = await needs.bus.call(getCampaign, of)
  const devices = status === 'draft' ? await countDevices(needs, of, settings) : 0
  if (devices <= rule.devices) return send()
  const { name, ...by } = who
  await insertApproval(needs.db, of, { askedBy: name, ...by, devices })
  const noted = await askedFor(needs, of)
  if (!noted) throw fault('invalid_state', 'The campaign was changed or sent meanwhile. Read it again.')
  return { status: 'draft', nextAt: null, approval: shownApproval(noted, who) }
}

async function confirm<Sent>(
  needs: Needs,
  of: Of,
  { asked, who, send }: { asked: Approval; who: Who; send: () => Promise<Sent> },
): Promise<Sent> {
  const why = whyNotConfirm(asked, who)
  if (why !== undefined) throw fault('forbidden', why)
  if (!(await beginConfirming(needs.db, of)))
    throw fault('invalid_state', 'The campaign was changed, or is being confirmed by somebody else. Read it again.')
  return sendAndForget(needs, of, send).catch(async (error: unknown) => {
    // After any other error nobody knows whether the campaign was sent, so the draft stays as it is until the confirmation's time is over.
    if (Fault.is(error) && error.status < 500) await endConfirming(needs.db, of)
    throw error
  })
}

async function sendAndForget<Sent>({ db }: Needs, of: Of, send: () => Promise<Sent>): Promise<Sent> {
  const sent = await send()
  await deleteApproval(db, of)
  return sent
}

const askedFor = async ({ db }: Needs, { appId, campaignId }: Of): Promise<Approval | undefined> =>
  (await findApprovals(db, appId, [campaignId])).get(campaignId)

/** Counts the devices of a draft's whole audience, also of an experiment's, whose winner then needs no second person. */
async function countDevices({ bus }: Needs, { appId, campaignId }: Of, { defaultTimezone }: AppSettings): Promise<number> {
  const { target } = await bus.call(resolveSend, { appId, defaultTimezone, campaignId })
  const { count } = await bus.call(previewSegment, { appId, segment: target.kind === 'segment' ? target.segment : null })
  return count
}

/**
 * Changes a draft, of which then nothing is asked any more: a second person confirms what they can see. Faults: invalid_state (it is being confirmed),
 * and those of the change.
 */
export async function changeUnasked<Changed>({ db }: Needs, of: Of, change: () => Promise<Changed>): Promise<Changed> {
  if (!(await withdrawApproval(db, of))) throw fault('invalid_state', 'The campaign is being confirmed. Read it again.')
  const changed = await change()
  // Somebody may have asked for the draft as it was while the change was under way.
  await deleteApproval(db, of)
  return changed
}

/** Reads who asked to send these campaigns, as the administration shows it; null for those that nobody asked for. */
export async function approvalsOf(
  { db }: Pick<Needs, 'db'>,
  appId: string,
  campaigns: readonly { id: string; status: string }[],
  who: Who,
): Promise<(id: string) => ShownApproval | null> {
  const drafts = campaigns.filter(({ status }) => status === 'draft').map(({ id }) => id)
  const found = await findApprovals(db, appId, drafts)
  return (id) => {
    const approval = found.get(id)
    return approval ? shownApproval(approval, who) : null
  }
}
