import { hash } from 'node:crypto'
import type { AppSettings } from '@herald/contracts/app'
import { previewSegment } from '@herald/contracts/calls/audience'
import { getCampaign, resolveSend, type FrozenTarget } from '@herald/contracts/calls/campaigns'
import { Fault, fault } from '@herald/contracts/fault'
import type { Gateway } from '../gateway.ts'
import { shownApproval, whyNotConfirm, type Approval, type ShownApproval, type Who } from './core/approval.ts'
import { beginConfirming, deleteApproval, endConfirming, findApprovals, insertApproval, withdrawApproval } from './store/approvals.ts'

type Needs = Pick<Gateway, 'db' | 'bus'>
type Of = { appId: string; campaignId: string }

/** The answer when a campaign stays a draft until somebody else confirms it. */
export type AskedFor = { status: 'draft'; nextAt: null; approval: ShownApproval }

/** What was looked at before a send: only this may then be sent. */
export type Seen = { revision: number; target: FrozenTarget }
type Send<Sent> = (seen?: Seen) => Promise<Sent>

/**
 * Sends a draft, or asks for a second person when it goes to more devices than the app allows (spec: administration/approval). Faults: forbidden (who
 * asked cannot confirm), invalid_state, and those of the send.
 */
export async function sendOrAsk<Sent>(
  needs: Needs,
  of: Of,
  { who, settings, send }: { who: Who; settings: AppSettings; send: Send<Sent> },
): Promise<Sent | AskedFor> {
  const { approval: rule } = settings
  if (rule === null) return sendAndForget(needs, of, send)
  const asked = await askedFor(needs, of)
  if (asked) return confirm(needs, of, { asked, who, settings, send })

  const { status } = await needs.bus.call(getCampaign, of)
  // Sending it again would freeze its segment anew, which may mean other people by now.
  if (status === 'scheduled') throw fault('invalid_state', 'The campaign is scheduled. Take it back before you send it another way.')
  // A campaign that is no draft is refused by the send itself.
  if (status !== 'draft') return send()
  const seen = await lookAt(needs, of, settings)
  const devices = await countDevices(needs, of, seen)
  if (devices <= rule.devices) return send(seen)
  const { name, ...by } = who
  await insertApproval(needs.db, of, { askedBy: name, ...by, devices, seen: hashOf(seen) })
  const noted = await askedFor(needs, of)
  if (!noted) throw fault('invalid_state', 'The campaign was changed or sent meanwhile. Read it again.')
  return { status: 'draft', nextAt: null, approval: shownApproval(noted, who) }
}

/** Sends what was asked for, and nothing else: a draft or a saved segment that has changed since has to be asked for again. */
async function confirm<Sent>(
  needs: Needs,
  of: Of,
  { asked, who, settings, send }: { asked: Approval; who: Who; settings: AppSettings; send: Send<Sent> },
): Promise<Sent> {
  const why = whyNotConfirm(asked, who)
  if (why !== undefined) throw fault('forbidden', why)
  const seen = await lookAt(needs, of, settings)
  if (hashOf(seen) !== asked.seen) {
    await withdrawApproval(needs.db, of)
    throw fault(
      'invalid_state',
      'The campaign or its segment was changed after approval was requested. Check it, and request approval again.',
    )
  }
  if (!(await beginConfirming(needs.db, of)))
    throw fault('invalid_state', 'The campaign was changed, or is being confirmed by somebody else. Read it again.')
  return sendAndForget(needs, of, () => send(seen)).catch(async (error: unknown) => {
    // After any other error nobody knows whether the campaign was sent, so the draft stays as it is until the confirmation's time is over.
    if (Fault.is(error) && error.status < 500) await endConfirming(needs.db, of)
    throw error
  })
}

const hashOf = (seen: Seen): string => hash('sha256', JSON.stringify(seen), 'base64url')

async function sendAndForget<Sent>({ db }: Needs, of: Of, send: Send<Sent>): Promise<Sent> {
  const sent = await send()
  await deleteApproval(db, of)
  return sent
}

const askedFor = async ({ db }: Needs, { appId, campaignId }: Of): Promise<Approval | undefined> =>
  (await findApprovals(db, appId, [campaignId])).get(campaignId)

async function lookAt({ bus }: Needs, { appId, campaignId }: Of, { defaultTimezone }: AppSettings): Promise<Seen> {
  const { target, revision = 0 } = await bus.call(resolveSend, { appId, defaultTimezone, campaignId })
  return { revision, target }
}

/** Counts the devices of a draft's whole audience, also of an experiment's, whose winner then needs no second person. */
async function countDevices({ bus }: Needs, { appId }: Of, { target }: Seen): Promise<number> {
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
