import { z } from 'zod'
import type { FrozenSend } from '../batch.ts'
import { call } from '../call.ts'
import { CreateCampaign, type Campaign } from '../campaign.ts'
import type { FlowChange } from './audience.ts'
import { SendNotification } from '../notification.ts'
import { TestSend, type NotQueued } from '../test-send.ts'
import { ListRequest, type Listed } from '../page.ts'
import type { CampaignsSummary } from '../series.ts'
import { campaignStatuses } from '../stats.ts'
import { SaveTemplate, type Template } from '../template.ts'

const Id = z.string().length(24)

/** The idempotency key of a request, which is unique in its app. The fingerprint covers method, path and canonical body (spec: limits/idempotency-scope). */
export const Idempotency = z.object({ key: z.string().min(1).max(255), fingerprint: z.string().length(64) }).nullable()

/**
 * Accepts a notification: its campaign and the idempotency record commit together, and then the send begins. `replayed`: this is the
 * stored answer of an earlier request with this key. Faults: not_found (template, segment), idempotency_in_progress,
 * idempotency_key_reused, invalid_segment, invalid_body.
 */
export const sendNotification = call<{ id: string; status: 'sending'; replayed: boolean }>()(
  'rpc.campaigns.send-notification',
  z.object({ appId: Id, idempotency: Idempotency, notification: SendNotification }),
)

/**
 * What a notification, a campaign or a stored campaign would send if it was accepted and sent now. It is checked in the same way, and nothing is written.
 * Exactly one of the three is given. `startsAt` (ISO): when its schedule begins; null when it is sent at once. Faults as for sendNotification, createCampaign
 * and sendCampaign, with paths of that body.
 */
export const resolveSend = call<{ send: FrozenSend; target: FrozenTarget; startsAt: string | null }>()(
  'rpc.campaigns.resolve-send',
  z.object({
    appId: Id,
    defaultTimezone: z.string().max(100),
    notification: SendNotification.optional(),
    campaign: CreateCampaign.optional(),
    campaignId: Id.optional(),
  }),
  15_000,
)

/**
 * Sends a test: a notification to single devices, to which no delivery rule applies and which is counted in no series. `notQueued`: devices that it names and
 * does not reach. A repeated request gets the answer of the first one. Faults: not_found (template, campaign, device), unknown_variant, invalid_body (also at an
 * item of a selector that is no test device), idempotency_in_progress, idempotency_key_reused.
 */
export const sendTest = call<{ id: string; status: 'sending'; replayed: boolean; notQueued: NotQueued[] }>()(
  'rpc.campaigns.send-test',
  z.object({ appId: Id, idempotency: Idempotency, test: TestSend }),
)

/** Whom a send is for, frozen when it was sent: of a saved segment it is the definition. Ids that do not exist are ignored. */
export type FrozenTarget =
  | { kind: 'externalIds'; externalIds: string[] }
  | { kind: 'userIds'; userIds: string[] }
  | { kind: 'subscriptionIds'; subscriptionIds: string[] }
  | { kind: 'segment'; segment: unknown }
  | { kind: 'all' }

/** The send that audience fans out. Null when there is no such campaign, or it is not to be sent any more (it was cancelled). */
export const readSend = call<{ send: FrozenSend; target: FrozenTarget } | null>()('rpc.campaigns.read-send', z.object({ campaignId: Id }))

/**
 * Audience has committed the fan-out rows of these campaigns, so that campaigns need not point at them any more. The answer has, in the order given, the flow of
 * each send, which may have been paused or cancelled while the row was made; null for an unknown campaign.
 */
export const fanOutStarted = call<{ flows: (FlowChange | null)[] }>()(
  'rpc.campaigns.fan-out-started',
  z.object({ campaignIds: z.array(Id).min(1).max(200) }),
)

/** The campaign cannot be fanned out (its segment no longer compiles). Its status becomes `failed`, with a reason that an operator can act on. */
export const failCampaign = call<Record<string, never>>()(
  'rpc.campaigns.fail-campaign',
  z.object({ campaignId: Id, code: z.string().max(64), message: z.string().max(500) }),
)

/** Every queued push of these campaigns has an outcome. Their status becomes `sent`, or `cancelled` when a cancel was asked for. */
export const settleCampaigns = call<Record<string, never>>()(
  'rpc.campaigns.settle-campaigns',
  z.object({ campaignIds: z.array(Id).min(1).max(200) }),
)

/** A campaign's status for its app, without its content; null when unknown or another app's. */
export const readCampaign = call<Pick<Campaign, 'id' | 'name' | 'status' | 'cancelling' | 'transactional' | 'createdAt'> | null>()(
  'rpc.campaigns.read-campaign',
  z.object({ appId: Id, campaignId: Id }),
)

/** Makes a draft; nothing is sent. Faults as for sendNotification. */
export const createCampaign = call<{ id: string; status: 'draft'; replayed: boolean }>()(
  'rpc.campaigns.create-campaign',
  z.object({ appId: Id, idempotency: Idempotency, campaign: CreateCampaign }),
)

/**
 * Sends a draft or a scheduled campaign now, or sets its schedule going. `defaultTimezone` is the app's, for users without one.
 * Faults: not_found (also its segment), invalid_segment, invalid_state.
 */
export const sendCampaign = call<{ status: 'sending' | 'scheduled' | 'active' }>()(
  'rpc.campaigns.send-campaign',
  z.object({ appId: Id, campaignId: Id, defaultTimezone: z.string().max(100) }),
  15_000,
)

/** Faults: not_found; invalid_state once fan-out has started. */
export const cancelCampaign = call<{ status: 'cancelled' }>()('rpc.campaigns.cancel-campaign', z.object({ appId: Id, campaignId: Id }))

/** Sends the winning variant to the held-out remainder as a new campaign. The order of its faults is spec: experiments/winner-checks. */
export const pickWinner = call<{ id: string; status: 'sending' }>()(
  'rpc.campaigns.pick-winner',
  z.object({ appId: Id, campaignId: Id, variant: z.string() }),
)

/**
 * A campaign for explain: its send and its target as they were frozen, or, before it is sent, as they would be now. `target` is null when its saved segment is gone, and
 * for a notification that has ended, whose target is not kept. `nextAt`: when it begins or runs next. `pause`: since when it is paused, and when the pause ends as a cancel (ISO).
 */
export const explainCampaign = call<{
  status: Campaign['status']
  startedAt: string | null
  settledAt: string | null
  nextAt: string | null
  pause: { since: string; until: string } | null
  failure: string | null
  cancelled: boolean
  send: FrozenSend
  target: FrozenTarget | null
} | null>()('rpc.campaigns.explain-campaign', z.object({ appId: Id, campaignId: Id }))

// Administration (docs/specification/administration.md). Unknown and foreign ids: not_found. A status that does not allow it: invalid_state.

const OfCampaign = z.object({ appId: Id, campaignId: Id })

/** Lists campaigns, newest first. With `test` it lists tests and nothing else; without it, no tests. */
export const listCampaigns = call<Listed<Campaign>>()(
  'rpc.campaigns.list-campaigns',
  ListRequest.extend({
    appId: Id,
    status: z.enum(campaignStatuses).optional(),
    transactional: z.boolean().optional(),
    test: z.boolean().optional(),
  }),
)
export const getCampaign = call<Campaign>()('rpc.campaigns.get-campaign', OfCampaign)
/** A run of a recurrence: a campaign of its own. */
export type Run = Pick<Campaign, 'id' | 'status' | 'cancelling' | 'failure' | 'createdAt' | 'startedAt' | 'settledAt'> & {
  /** The day that the run is for, in the zone of the schedule: YYYY-MM-DD. */
  localDate: string
}
/** The runs of a recurrence, newest first. A campaign that does not recur has none. Faults: not_found, invalid_body at `cursor`. */
export const listRuns = call<Listed<Run>>()('rpc.campaigns.list-runs', ListRequest.omit({ q: true }).extend(OfCampaign.shape))
/** Replaces the body of a draft. Faults as for createCampaign, and invalid_state. */
export const replaceCampaign = call<Campaign>()('rpc.campaigns.replace-campaign', OfCampaign.extend({ campaign: CreateCampaign }))
/** Deletes a draft. */
export const deleteCampaign = call<Record<string, never>>()('rpc.campaigns.delete-campaign', OfCampaign)
/** Makes a new draft like a campaign of any status. A notification becomes a campaign with the same target when that is a segment or everyone, else invalid_state. */
export const duplicateCampaign = call<Campaign>()('rpc.campaigns.duplicate-campaign', OfCampaign)
/** Pauses a send under way: a second later no push is sent any more, except those that a connection already holds. A paused recurrence begins no run. */
export const pauseCampaign = call<{ status: 'paused' }>()('rpc.campaigns.pause-campaign', OfCampaign)
/** Resumes a paused send or recurrence. A recurrence goes on with its next occurrence; those during the pause are not made up for. */
export const resumeCampaign = call<{ status: 'sending' | 'active' }>()('rpc.campaigns.resume-campaign', OfCampaign)
/**
 * Cancels a campaign that has not ended. In a send under way the pushes that are not sent yet are skipped with the reason `cancelled`. The
 * campaign keeps the status that this call answers until every push has an outcome. Then it is `cancelled`.
 */
export const endCampaign = call<{ status: 'cancelled' | 'sending' | 'paused' }>()('rpc.campaigns.end-campaign', OfCampaign)

/** The app was deleted: each call deletes a part of its rows, until `done`. Its schedules stop with the first call. */
export const eraseCampaignsOfApp = call<{ done: boolean }>()('rpc.campaigns.erase-app', z.object({ appId: Id }), 10_000)

// Templates (spec: content/template-name). Faults: not_found, duplicate_name.

export const createTemplate = call<Template>()('rpc.campaigns.create-template', z.object({ appId: Id, template: SaveTemplate }))
export const listTemplates = call<Listed<Template>>()('rpc.campaigns.list-templates', ListRequest.extend({ appId: Id }))
export const readTemplate = call<Template>()('rpc.campaigns.read-template', z.object({ appId: Id, templateId: Id }))
export const replaceTemplate = call<Template>()(
  'rpc.campaigns.replace-template',
  z.object({ appId: Id, templateId: Id, template: SaveTemplate }),
)
export const deleteTemplate = call<Record<string, never>>()('rpc.campaigns.delete-template', z.object({ appId: Id, templateId: Id }))

/** An app's campaigns for the overview. Each list has at most ten. */
export const summarizeCampaigns = call<CampaignsSummary>()('rpc.campaigns.summarize-campaigns', z.object({ appId: Id }))
