import { z } from 'zod'
import type { FrozenSend } from '../batch.ts'
import { call } from '../call.ts'
import { audienceKinds, CreateCampaign, type Campaign, type FlowChange, type NamedBy } from '../campaign.ts'
import { CreateCategory, SaveCategory, type Category } from '../category.ts'
import { SendLiveActivity } from '../live-activity.ts'
import { SendNotification } from '../notification.ts'
import { Recall, type RecallMode } from '../recall.ts'
import { TestSend, type NotQueued } from '../test-send.ts'
import { ListRequest, type Listed } from '../page.ts'
import type { CampaignsSummary } from '../series.ts'
import { SendRate } from '../send-fields.ts'
import { campaignStatuses } from '../stats.ts'
import { SaveTemplate, type Template } from '../template.ts'
import { CategoryId, Id, Timestamp } from '../text.ts'

/**
 * The idempotency key of a request, unique within an app; null when the request has none. The fingerprint covers the method, path and canonical body
 * (spec: limits/idempotency-scope).
 */
export const Idempotency = z.object({ key: z.string().min(1).max(255), fingerprint: z.string().length(64) }).nullable()

/**
 * Accepts a notification: its campaign and its idempotency record are committed together, and then the send begins. `replayed`: the answer is the
 * stored answer of an earlier request with the same key. Faults: not_found (template, segment), idempotency_in_progress, idempotency_key_reused,
 * invalid_segment, invalid_body.
 */
export const sendNotification = call<{ id: string; status: 'sending'; replayed: boolean }>()(
  'rpc.campaigns.send-notification',
  z.object({ appId: Id, idempotency: Idempotency, notification: SendNotification }),
)

/**
 * Accepts a send to a Live Activity like a notification. The transaction of its row gives it a timestamp above that of every earlier send of the
 * activity. Faults as for sendNotification.
 */
export const sendLiveActivity = call<{ id: string; status: 'sending'; replayed: boolean }>()(
  'rpc.campaigns.send-live-activity',
  z.object({ appId: Id, idempotency: Idempotency, activity: SendLiveActivity }),
)

/**
 * Answers what would be sent if a notification, a campaign or a stored one (`campaignId`; exactly one of three) were sent now, and writes nothing.
 * `startsAt` (ISO): null for at once. `revision`: of a stored one.
 */
export const resolveSend = call<{ send: FrozenSend; target: FrozenTarget; startsAt: string | null; revision?: number }>()(
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
 * Sends a test to single devices, without delivery rules or series. `notQueued`: named devices without a push. Repeats get the first answer. Faults:
 * not_found, unknown_variant, invalid_body, invalid_state (no content), idempotency_in_progress, idempotency_key_reused.
 */
export const sendTest = call<{ id: string; status: 'sending'; replayed: boolean; notQueued: NotQueued[] }>()(
  'rpc.campaigns.send-test',
  z.object({ appId: Id, idempotency: Idempotency, test: TestSend }),
)

/**
 * The target of a send, frozen when the send was accepted; for a saved segment it holds the definition. Ids that do not exist are ignored. `reached`:
 * the devices to which the campaign `of` was sent.
 */
export type FrozenTarget =
  | { kind: 'externalIds'; externalIds: string[] }
  | { kind: 'userIds'; userIds: string[] }
  | { kind: 'subscriptionIds'; subscriptionIds: string[] }
  | { kind: 'segment'; segment: unknown }
  | { kind: 'all' }
  | { kind: 'reached'; of: string; skipOpened: boolean }

/**
 * Reads the send that audience is to fan out; null unless it exists, is `sending` and not to be cancelled. `flowNo`: the number of its flow's last
 * change; an earlier pause is over.
 */
export const readSend = call<{ send: FrozenSend; target: FrozenTarget; flowNo: number } | null>()(
  'rpc.campaigns.read-send',
  z.object({ campaignId: Id }),
)

/**
 * Audience has committed the fan-out rows of these campaigns, so campaigns stops publishing pointers at them. `flows`: each send's flow in the same
 * order, perhaps paused or cancelled meanwhile; null for an unknown campaign.
 */
export const fanOutStarted = call<{ flows: (FlowChange | null)[] }>()(
  'rpc.campaigns.fan-out-started',
  z.object({ campaignIds: z.array(Id).min(1).max(200) }),
)

/**
 * Audience reports that a campaign cannot be fanned out, for example because its segment does not compile any more. Its status becomes `failed`, with
 * a reason that an operator can act on.
 */
export const failCampaign = call<Record<string, never>>()(
  'rpc.campaigns.fail-campaign',
  z.object({ campaignId: Id, code: z.string().max(64), message: z.string().max(500) }),
)

/**
 * Audience reports that a send could not be begun by its own fault. Campaigns points at it again some seconds later, and the fifth report makes its
 * status `failed`.
 */
export const noteFailedStart = call<Record<string, never>>()('rpc.campaigns.note-failed-start', z.object({ campaignId: Id }))

/**
 * The tracker reports that every queued push of these campaigns has an outcome. Their status becomes `sent`, or `cancelled` when a cancel was asked
 * for.
 */
export const settleCampaigns = call<Record<string, never>>()(
  'rpc.campaigns.settle-campaigns',
  z.object({ campaignIds: z.array(Id).min(1).max(200) }),
)

/** Reads a campaign's status for its app, without its content. Null when the campaign is unknown or belongs to another app. */
export const readCampaign = call<Pick<Campaign, 'id' | 'name' | 'status' | 'cancelling' | 'transactional' | 'createdAt'> | null>()(
  'rpc.campaigns.read-campaign',
  z.object({ appId: Id, campaignId: Id }),
)

/** The name of the operator who makes a campaign; left out when a secret key makes it. */
const Author = z.string().max(128).optional()

/** Makes a draft. Nothing is sent. Faults as for sendNotification. */
export const createCampaign = call<{ id: string; status: 'draft'; replayed: boolean }>()(
  'rpc.campaigns.create-campaign',
  z.object({ appId: Id, idempotency: Idempotency, campaign: CreateCampaign, author: Author }),
)

/**
 * How many seconds a send waits that would go out at once, so that an operator can take it back (`unsendCampaign`). Until then the campaign is
 * `scheduled`, and its schedule is unchanged.
 */
export const DelaySeconds = z.int().min(0).max(60)

/**
 * Sends a draft or scheduled campaign now, or starts its schedule. `defaultTimezone` is for users without one. `delaySeconds` is ignored for a later
 * schedule. `seen`: only what `resolveSend` answered is sent. `nextAt` (ISO): null for now. Faults: not_found, invalid_segment, invalid_state.
 */
export const sendCampaign = call<{ status: 'sending' | 'scheduled' | 'active'; nextAt: string | null }>()(
  'rpc.campaigns.send-campaign',
  z.object({
    appId: Id,
    campaignId: Id,
    defaultTimezone: z.string().max(100),
    delaySeconds: DelaySeconds.optional(),
    seen: z
      .object({ revision: z.number().int(), target: z.custom<FrozenTarget>((value) => typeof value === 'object' && value !== null) })
      .optional(),
  }),
  15_000,
)

/**
 * Takes a scheduled campaign back before it has begun: it is a draft again. The campaign that sends a winner is deleted, so that the experiment is
 * open again. Answers the draft, or the experiment. Faults: not_found, invalid_state.
 */
export const unsendCampaign = call<{ id: string; status: 'draft' | 'sent' }>()(
  'rpc.campaigns.unsend-campaign',
  z.object({ appId: Id, campaignId: Id }),
)

/** Cancels a campaign that has not started, or a recurrence, whose runs under way go on. Faults: not_found, invalid_state. */
export const cancelCampaign = call<{ status: 'cancelled' }>()('rpc.campaigns.cancel-campaign', z.object({ appId: Id, campaignId: Id }))

/**
 * Sends the winning variant as a new campaign to users outside the sample. `by`: the operator's name, null for a secret key. `nextAt` as for
 * sendCampaign. The first fault by spec: experiments/winner-checks is answered.
 */
export const pickWinner = call<{ id: string; status: 'sending' | 'scheduled'; nextAt: string | null }>()(
  'rpc.campaigns.pick-winner',
  z.object({ appId: Id, campaignId: Id, variant: z.string(), by: z.string().max(128).nullable(), delaySeconds: DelaySeconds.optional() }),
)

/**
 * Reads a campaign for explain, frozen or as it would be now. `target` is null when its segment is deleted or a notification has ended; `forgottenBy`
 * says what that named. `nextAt`: its next begin. `pause`: its start and end (ISO).
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
  forgottenBy: NamedBy | null
  /** The follow-ups of recalls of this campaign, oldest first. */
  recalls: { campaignId: string; mode: RecallMode; status: Campaign['status'] }[]
} | null>()('rpc.campaigns.explain-campaign', z.object({ appId: Id, campaignId: Id }))

// Calls of the administration about campaigns (docs/specification/administration.md). Fault for an unknown id and for an id of another app:
// not_found. Fault for a status that does not allow the operation: invalid_state.

const OfCampaign = z.object({ appId: Id, campaignId: Id })

/**
 * Lists campaigns, newest first. With `test` it lists only tests; without `test` it leaves tests out. `from` and `to`: only those made at `from` or
 * later, and before `to`.
 */
export const listCampaigns = call<Listed<Campaign>>()(
  'rpc.campaigns.list-campaigns',
  ListRequest.extend({
    appId: Id,
    status: z.enum(campaignStatuses).optional(),
    transactional: z.boolean().optional(),
    test: z.boolean().optional(),
    author: z.string().max(128).optional(),
    audience: z.enum(audienceKinds).optional(),
    from: Timestamp.optional(),
    to: Timestamp.optional(),
  }),
)
export const getCampaign = call<Campaign>()('rpc.campaigns.get-campaign', OfCampaign)
/** A run of a recurrence. It is a campaign with an id of its own. */
export type Run = Pick<Campaign, 'id' | 'status' | 'cancelling' | 'failure' | 'createdAt' | 'startedAt' | 'settledAt'> & {
  /** The day that the run is for, in the zone of the schedule: YYYY-MM-DD. */
  localDate: string
}
/** Lists the runs of a recurrence, newest first. Any other campaign has none. Faults: not_found, invalid_body at `cursor`. */
export const listRuns = call<Listed<Run>>()('rpc.campaigns.list-runs', ListRequest.omit({ q: true }).extend(OfCampaign.shape))
/** Lists when a recurrence runs next; of a draft, as if it were sent now. None for a campaign that has ended or does not recur. Fault: not_found. */
export const listOccurrences = call<{ items: { at: string; localDate: string }[] }>()(
  'rpc.campaigns.list-occurrences',
  OfCampaign.extend({ limit: z.int().min(1).max(50) }),
)
/** Replaces the body of a draft. Faults as for createCampaign, and invalid_state. */
export const replaceCampaign = call<Campaign>()('rpc.campaigns.replace-campaign', OfCampaign.extend({ campaign: CreateCampaign }))
export const deleteCampaign = call<Record<string, never>>()('rpc.campaigns.delete-campaign', OfCampaign)
/**
 * Makes a new draft with the content of a campaign of any status. A notification becomes a campaign with the same target when the target is a segment
 * or everyone; any other target is refused with invalid_state.
 */
export const duplicateCampaign = call<Campaign>()('rpc.campaigns.duplicate-campaign', OfCampaign.extend({ author: Author }))
/**
 * Pauses a send under way or a recurrence. From one second after the pause no push of the send is handed over to a provider. A paused recurrence
 * starts no run.
 */
export const pauseCampaign = call<{ status: 'paused' }>()('rpc.campaigns.pause-campaign', OfCampaign)
/** Resumes a paused send or recurrence. A recurrence goes on with its next occurrence; occurrences during the pause are skipped. */
export const resumeCampaign = call<{ status: 'sending' | 'active' }>()('rpc.campaigns.resume-campaign', OfCampaign)
/**
 * Changes how many pushes a minute a campaign hands over, from its next runs or, under way, within 2 s; null: no limit. `etaSeconds`: an estimate of
 * a send under way. Faults: not_found, invalid_state.
 */
export const changeRate = call<{ perMinute: number | null; etaSeconds: number | null }>()(
  'rpc.campaigns.change-rate',
  OfCampaign.extend({ perMinute: SendRate.shape.perMinute.nullable() }),
)
/**
 * Cancels a campaign that has not ended. One under way keeps its status while unsent pushes are skipped as `cancelled`, and is `cancelled` when every
 * push has an outcome. Any other is `cancelled` at once.
 */
export const endCampaign = call<{ status: 'cancelled' | 'sending' | 'paused' }>()('rpc.campaigns.end-campaign', OfCampaign)
/**
 * Cancels what is unsent of a campaign. With another mode than `stop`, writes the follow-up that begins once the campaign has settled. `id`: the
 * follow-up, or the campaign. Faults: not_found, invalid_state, invalid_body, idempotency_in_progress, idempotency_key_reused.
 */
export const recallCampaign = call<{ id: string; status: 'scheduled' | 'cancelled' | 'sending' | 'paused'; replayed: boolean }>()(
  'rpc.campaigns.recall-campaign',
  OfCampaign.extend({ idempotency: Idempotency, recall: Recall }),
)

/**
 * Deletes a part of the rows of a deleted app. The gateway repeats the call until the answer is `done`. The app's schedules stop with the first call.
 */
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

// Categories (docs/specification/categories.md). Fault for an unknown id: not_found.

/** Makes a category. Faults: duplicate_name; limit_reached at 50 of an app. */
export const createCategory = call<Category>()('rpc.campaigns.create-category', z.object({ appId: Id, category: CreateCategory }))
/** Lists an app's categories in the order in which they were made. */
export const listCategories = call<{ categories: Category[] }>()('rpc.campaigns.list-categories', z.object({ appId: Id }))
export const replaceCategory = call<Category>()(
  'rpc.campaigns.replace-category',
  z.object({ appId: Id, categoryId: CategoryId, category: SaveCategory }),
)
/** Deletes a category. Fault: invalid_state while a campaign that is scheduled, active, paused or under way names it. */
export const deleteCategory = call<Record<string, never>>()(
  'rpc.campaigns.delete-category',
  z.object({ appId: Id, categoryId: CategoryId }),
)
/**
 * Finds the category that a person leaves with one tap on a push of this campaign. Null: the campaign has none or is unknown, the category is locked
 * or deleted, or the send ended more than 30 days ago.
 */
export const findLeavable = call<{ categoryId: string } | null>()('rpc.campaigns.find-leavable', z.object({ appId: Id, campaignId: Id }))

/** A call answers at most this many sends: the content of one may have 64 KiB. */
export const inboxSendsAtOnce = 10
/** Reads the sends of an inbox as they were frozen. Unknown campaigns, and those that are in no inbox, are left out. */
export const readInboxSends = call<{ sends: FrozenSend[] }>()(
  'rpc.campaigns.read-inbox-sends',
  z.object({ appId: Id, campaignIds: z.array(Id).max(inboxSendsAtOnce) }),
)

/** Counts an app's campaigns by status for the overview, and lists those that begin next, are paused or failed, at most ten in each list. */
export const summarizeCampaigns = call<CampaignsSummary>()('rpc.campaigns.summarize-campaigns', z.object({ appId: Id }))
