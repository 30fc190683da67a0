import type { Campaign, CreateCampaign } from '@herald/contracts/campaign'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { invalidField } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { acceptedId, findReplay } from './accept-campaigns.ts'
import { whyNotSchedule } from './core/schedule.ts'
import { getCampaign, noDraft } from './manage-campaign.ts'
import { refuseTooLarge, resolveFields } from './resolve-fields.ts'
import { copySegment, type Accepting, type Resolving } from './send-notification.ts'
import { replaceDraft, type Draft } from './store/campaigns.ts'
import type { Idempotency } from './campaigns.ts'

export type CreateRequest = { appId: string; idempotency: Idempotency | null; campaign: CreateCampaign; author?: string | undefined }

/**
 * Makes a draft, checked in the order of a notification (spec: sending/accept-order), with the template filled in. A saved segment must exist; it is
 * copied at the send. Faults: not_found, invalid_segment, invalid_body, idempotency_key_reused, idempotency_in_progress.
 */
export async function createCampaign(
  campaigns: Accepting,
  { appId, idempotency, campaign, author }: CreateRequest,
): Promise<{ id: string; status: 'draft'; replayed: boolean }> {
  const replay = await findReplay(campaigns, appId, idempotency)
  if (replay) return { ...acceptedId(replay), status: 'draft' }

  const draft = await resolveDraft(campaigns, appId, campaign)
  const accepted = await campaigns.accept({
    campaign: { id: newId(), appId, status: 'draft', transactional: false, author, ...draft },
    idempotency,
  })
  return { ...acceptedId(accepted), status: 'draft' }
}

/** Replaces the body of a draft, after the checks that a new draft passes. Faults: not_found, invalid_segment, invalid_body, invalid_state. */
export async function replaceCampaign(
  campaigns: Resolving,
  { appId, campaignId, campaign }: { appId: string; campaignId: string; campaign: CreateCampaign },
): Promise<Campaign> {
  const { status } = await getCampaign(campaigns, { appId, campaignId })
  const draft = await resolveDraft(campaigns, appId, campaign)
  if (!(await replaceDraft(campaigns.db, appId, campaignId, draft))) throw noDraft(status)
  return getCampaign(campaigns, { appId, campaignId })
}

/** Checks a body and gives the draft to be stored. Faults: not_found, invalid_segment, invalid_body. */
export async function resolveDraft(campaigns: Resolving, appId: string, campaign: CreateCampaign): Promise<Draft> {
  const { name, segment, segmentId, schedule, experiment, templateId } = campaign
  const wrong = whyNotSchedule(schedule, new Date())
  if (wrong) throw invalidField(wrong.path, wrong.message)
  const send = await resolveFields(campaigns, appId, campaign)
  if (segmentId !== undefined) await copySegment(campaigns.bus, appId, segmentId)

  if (experiment && send.silent) throw invalidField('experiment', 'must not be given together with silent, which the template brings')
  refuseTooLarge(send)
  experiment?.variants.forEach(({ content }, index) => refuseTooLarge({ ...send, content }, `experiment.variants.${index}.`))

  return {
    name,
    target: segmentId === undefined ? targetOf(segment) : null,
    templateId: templateId ?? null,
    segmentId: segmentId ?? null,
    schedule,
    experiment: experiment ?? null,
    send,
  }
}

/** Gives the target of a draft without a saved segment: the segment in the body, or everyone. */
const targetOf = (segment: CreateCampaign['segment']): FrozenTarget =>
  segment === undefined ? { kind: 'all' } : { kind: 'segment', segment }
