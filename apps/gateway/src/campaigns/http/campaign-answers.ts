import { Id } from '@herald/contracts/text'
import { Experiment, Schedule, mostShownIds, namedBy, type Campaign as CampaignRead } from '@herald/contracts/campaign'
import type { Verification as VerificationRead } from '@herald/contracts/calls/tracker'
import { Category } from '@herald/contracts/category'
import { deciders } from '@herald/contracts/experiment-metrics'
import { ContentMap, type Content } from '@herald/contracts/content'
import { platforms } from '@herald/contracts/platform'
import { recallModes } from '@herald/contracts/recall'
import { Overrides } from '@herald/contracts/overrides'
import { Bypass, Presentation, Priority, SendRate } from '@herald/contracts/send-fields'
import { campaignStatuses } from '@herald/contracts/stats'
import { Template } from '@herald/contracts/template'
import { activityEvents } from '@herald/contracts/live-activity'
import { z } from 'zod'
import { CampaignStats, Count, describes, listOf, nextCursor, Time } from '../../http/answers.ts'
import type { ShownApproval } from '../core/approval.ts'

/* The schemas of what the administration answers about campaigns, their waves and runs, and templates. */

const named = {
  by: z.enum(namedBy),
  count: Count.meta({ description: 'How many the send names.' }),
  ids: z
    .array(z.string())
    .max(mostShownIds)
    .nullable()
    .meta({ description: 'The first 100 of them; null once the send has ended, when Herald forgets whom it named.' }),
}
const CampaignAudience = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('everyone') }),
  z.object({
    kind: z.literal('segment'),
    segmentId: Id.nullable(),
    segment: z.unknown().meta({ description: 'A Segment; null while it is not yet copied from segmentId.' }),
  }),
  z.object({ kind: z.literal('people'), ...named }),
  z.object({ kind: z.literal('test'), ...named }),
  z.object({
    kind: z.literal('remainder'),
    of: Id.meta({ description: 'The experiment; this send goes to those outside its sample.' }),
    sampleRate: z.number(),
  }),
  z.object({
    kind: z.literal('reached'),
    of: Id.meta({ description: 'The campaign that this one recalls; this send goes to the devices to which that one was sent.' }),
    skipOpened: z.boolean().meta({ description: 'Devices that reported it opened are left out.' }),
  }),
])
const Winner = z.object({
  variant: z.string(),
  campaignId: Id.meta({ description: 'The campaign that sends it to the remainder.' }),
  by: z.string().nullable().meta({ description: 'The operator who picked it; null when a secret key of the app or Herald itself did.' }),
  at: Time,
  decidedBy: z.enum(deciders),
})

/** An answer has content in one form, whichever the request had. */
const content = ContentMap as unknown as z.ZodType<Content>
const ExperimentRead = z.object({
  sampleRate: z.number(),
  variants: z.array(z.object({ id: z.string(), name: z.string(), weight: z.number(), content })),
  auto: Experiment.shape.auto,
})

const { stats, rates } = CampaignStats.shape
export const Campaign = describes<CampaignRead>()(
  z.object({
    id: Id,
    name: z.string(),
    status: z.enum(campaignStatuses),
    transactional: z.boolean(),
    content: content.nullable(),
    templateId: Id.nullable(),
    segment: z.unknown().meta({ description: 'A Segment; null for everyone, or while it is not yet copied from segmentId.' }),
    segmentId: Id.nullable(),
    audience: CampaignAudience.meta({ description: 'Whom it is or was sent to.' }),
    schedule: Schedule.nullable(),
    experiment: ExperimentRead.nullable(),
    winner: Winner.nullable().meta({ description: 'Of an experiment, once it is picked.' }),
    silent: z.boolean(),
    data: z.record(z.string(), z.string()),
    ttl: z.int(),
    collapseId: z.string().nullable(),
    priority: Priority,
    presentation: Presentation.nullable(),
    overrides: Overrides.nullable(),
    category: z.string().nullable().meta({ description: 'The id of its category.' }),
    inbox: z.boolean().meta({ description: 'Whether people find it in their inbox.' }),
    bypass: Bypass,
    author: z
      .string()
      .nullable()
      .meta({ description: 'The operator or administration key that made it; null when a secret key or Herald did.' }),
    activity: z
      .object({ activityId: z.string(), event: z.enum(activityEvents), attributesType: z.string(), timestamp: z.int() })
      .optional()
      .meta({ description: 'Of a send to a Live Activity; left out of any other.' }),
    sendRate: SendRate.nullable(),
    recurringOf: Id.nullable(),
    remainderOf: Id.nullable(),
    recallOf: Id.nullable().meta({ description: 'The campaign that this one recalls.' }),
    recalls: z
      .array(z.object({ campaignId: Id, mode: z.enum(recallModes), status: z.enum(campaignStatuses) }))
      .optional()
      .meta({ description: 'The follow-ups that recall this campaign; left out when there is none, and in lists.' }),
    failure: z.object({ code: z.string(), message: z.string() }).nullable(),
    cancelling: z
      .boolean()
      .meta({ description: 'True when a cancel was asked for; the campaign is cancelled once its last push has an outcome.' }),
    nextAt: Time.nullable(),
    test: z.boolean(),
    missedCount: Count,
    createdAt: Time,
    startedAt: Time.nullable(),
    settledAt: Time.nullable(),
  }),
)
const Approval = describes<ShownApproval>()(
  z.object({
    askedBy: z.string(),
    at: Time,
    devices: Count.meta({ description: 'To how many devices it would have gone then.' }),
    byYou: z.boolean().meta({ description: 'Who asks this asked to send it, and so cannot confirm it.' }),
  }),
)
const approval = Approval.nullable().meta({ description: 'Of a draft that somebody asked to send and somebody else is to confirm.' })
export const CampaignWithStats = Campaign.extend({ approval, stats })
export const CampaignList = listOf(CampaignWithStats)
export const CampaignWithRates = Campaign.extend({ approval, stats, rates })
export const Cancelling = z.object({ status: z.enum(['sending', 'paused']), cancelling: z.literal(true) })
const nextAtOfSend = Time.nullable().meta({ description: 'When it goes out; null when that is now.' })
export const SentOrDelayed = z.object({
  status: z
    .enum(['sending', 'scheduled', 'active', 'draft'])
    .meta({ description: '`draft`: the app’s setting `approval` needs a second person, who sends the campaign with the same request.' }),
  nextAt: nextAtOfSend,
  approval: Approval.optional().meta({ description: 'With the status `draft`.' }),
})
export const WinnerPicked = z.object({ id: Id, status: z.enum(['sending', 'scheduled']), nextAt: nextAtOfSend })
export const Unsent = z.object({
  id: Id.meta({ description: 'The draft; of a winner the experiment, which is open again.' }),
  status: z.enum(['draft', 'sent']),
})
export const RateChanged = z.object({
  perMinute: SendRate.shape.perMinute.nullable(),
  etaSeconds: Count.nullable().meta({ description: 'About how long the rest of a send under way takes; null when it is not known.' }),
})
export const Paused = z.object({ status: z.literal('paused') })
export const Resumed = z.object({ status: z.enum(['sending', 'active']) })
export const Verification = describes<VerificationRead>()(
  z.object({ campaignId: Id, agrees: z.boolean(), difference: Count, counters: stats, ledger: stats }),
)

const ByPlatform = z.object(
  Object.fromEntries(platforms.map((platform) => [platform, Count])) as Record<(typeof platforms)[number], typeof Count>,
)
export const WaveList = z.object({
  items: z.array(
    z.object({
      no: z.int().min(1).meta({ description: 'Counted from 1.' }),
      at: Time.meta({ description: 'When it begins.' }),
      zones: z.array(z.string().nullable()).nullable().meta({
        description:
          'The time zones whose users it reaches; null among them stands for users without one. Null instead of a list: all users. The last wave reaches everybody else too.',
      }),
      state: z
        .enum(['waiting', 'running', 'done', 'cancelled'])
        .meta({ description: '`cancelled`: the send failed or was cancelled before the wave was over.' }),
      expired: z.boolean().meta({ description: 'Its pushes are skipped: the date and time of the send had passed in its zones.' }),
      queued: Count.meta({ description: 'Pushes that it has queued so far.' }),
      byPlatform: ByPlatform,
    }),
  ),
  nextCursor,
})

export const OccurrenceList = z.object({
  items: z.array(
    z.object({ at: Time, localDate: z.string().meta({ format: 'date', description: 'The day it is for, in the zone of the schedule.' }) }),
  ),
  nextCursor: z.null(),
})

export const RunList = z.object({
  items: z.array(
    z.object({
      id: Id,
      localDate: z.string().meta({ format: 'date', description: 'The day it is for, in the zone of the schedule.' }),
      status: z.enum(campaignStatuses),
      cancelling: z.boolean(),
      failure: z.object({ code: z.string(), message: z.string() }).nullable(),
      createdAt: Time,
      startedAt: Time.nullable(),
      settledAt: Time.nullable(),
      stats: stats,
    }),
  ),
  nextCursor,
})

export const CategoryList = listOf(Category)
export const TemplatesOfApp = listOf(Template)
