import { z } from 'zod'
import { Content } from './content.ts'
import { SegmentDefinition } from './segment-definition.ts'
import { contentRequired, sendFields, type Bypass, type Presentation, type Priority, type SendRate } from './send-fields.ts'
import { ConversionName } from './conversion.ts'
import { experimentMetrics, type DecidedBy } from './experiment-metrics.ts'
import type { LiveActivity } from './live-activity.ts'
import type { Overrides } from './overrides.ts'
import type { RecallMode } from './recall.ts'
import type { CampaignStatus } from './stats.ts'
import { CalendarDate, name, ObjectId, Timestamp, TimeZone } from './text.ts'

const LocalTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day as HH:MM')

const Weekday = z.int().min(0).max(6)
/** A place from 1 to `most`, or -1 for the last. */
const orLast = (most: number) =>
  z
    .int()
    .min(-1)
    .max(most)
    .refine((place) => place !== 0, `must be 1 to ${most}, or -1 for the last`)

type NamedDays = { every: string; daysOfWeek?: unknown; daysOfMonth?: unknown; nthWeekday?: unknown }

/** Checks that days of the week are named only by the day or the week, and days of the month, in one of two ways, only by the month. */
function daysFitPeriod({ every, daysOfWeek, daysOfMonth, nthWeekday }: NamedDays, context: z.RefinementCtx): void {
  const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', message, path: [field] })
  if (every === 'month' && daysOfWeek !== undefined) refuse('daysOfWeek', 'must not be given with every: month; name nthWeekday')
  if (every !== 'month' && daysOfMonth !== undefined) refuse('daysOfMonth', 'must not be given without every: month')
  if (every !== 'month' && nthWeekday !== undefined) refuse('nthWeekday', 'must not be given without every: month')
  else if (daysOfMonth !== undefined && nthWeekday !== undefined) refuse('nthWeekday', 'must not be given together with daysOfMonth')
}

/**
 * When a campaign is sent (spec: campaigns/schedule-forms). Campaigns checks the rules that depend on the time of the request: `at` and `date` are at
 * most 365 days ahead, and `until` and `date` have not passed.
 */
export const Schedule = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('now') }),
  z.strictObject({ type: z.literal('at'), at: Timestamp }),
  z
    .strictObject({
      type: z.literal('user_timezone'),
      localTime: LocalTime,
      date: CalendarDate.optional(),
      lateMinutes: z.int().min(0).max(1440).optional(),
    })
    .refine(({ date, lateMinutes }) => date !== undefined || lateMinutes === undefined, {
      message: 'must not be given without date',
      path: ['lateMinutes'],
    }),
  z
    .strictObject({
      type: z.literal('recurring'),
      every: z.enum(['day', 'week', 'month']),
      interval: z.int().min(1).max(12).optional(),
      startDate: CalendarDate.optional(),
      daysOfWeek: z
        .array(Weekday)
        .min(1)
        .max(7)
        .refine((days) => new Set(days).size === days.length, 'must name each day once')
        .optional(),
      daysOfMonth: z.array(orLast(31)).min(1).max(32).optional(),
      nthWeekday: z.strictObject({ nth: orLast(5), day: Weekday }).optional(),
      localTime: LocalTime,
      timezone: TimeZone,
      except: z.array(CalendarDate).max(100).optional(),
      maxRuns: z.int().min(1).max(10_000).optional(),
      until: Timestamp.optional(),
    })
    .superRefine(daysFitPeriod),
])
export type Schedule = z.output<typeof Schedule>

/** The id of an experiment's variant. */
export const VariantId = z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, 'must be 1 to 32 characters of A-Z, a-z, 0-9, _ and -')

const Variant = z.strictObject({
  id: VariantId,
  name: name(120),
  weight: z.number().gt(0).max(1000).default(1),
  content: Content,
})

/**
 * Picks the winner by itself (spec: experiments/auto): as soon as the test decides, looked at each minute from `minMinutes` after the last push was
 * sent, and at `afterMinutes` what `ifInconclusive` says.
 */
const AutoWinner = z
  .strictObject({
    metric: z.enum(experimentMetrics),
    conversion: ConversionName.optional().meta({ description: 'The name of the conversion, with that metric.' }),
    afterMinutes: z.int().min(15).max(10_080),
    minMinutes: z.int().min(15).max(10_080).optional().meta({ description: '60 if left out, or `afterMinutes` if less.' }),
    alpha: z.number().min(0.001).max(0.2).default(0.05),
    minUsers: z.int().min(100).max(1_000_000).default(500).meta({ description: 'Of each variant, with a push sent.' }),
    ifInconclusive: z.enum(['none', 'best']),
  })
  .superRefine(({ metric, conversion, afterMinutes, minMinutes }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', message, path: [path] })
    if ((metric === 'conversion') !== (conversion !== undefined))
      refuse('conversion', 'is required with the metric conversion, and only then')
    if (minMinutes !== undefined && minMinutes > afterMinutes) refuse('minMinutes', 'must not be longer than the test (afterMinutes)')
  })

/**
 * An experiment of two to four texts, which are compared by sending them to a sample of the users. The users outside the sample are the remainder.
 */
export const Experiment = z
  .strictObject({
    sampleRate: z.number().min(0.01).max(1),
    variants: z
      .array(Variant)
      .min(2)
      .max(4)
      .superRefine((variants, context) => {
        variants.forEach(({ id }, index) => {
          if (variants.findIndex((other) => other.id === id) < index) {
            context.addIssue({ code: 'custom', message: 'must be another id than that of a variant before it', path: [index, 'id'] })
          }
        })
      }),
    auto: AutoWinner.optional(),
  })
  .superRefine(({ sampleRate, auto }, context) => {
    if (auto && sampleRate >= 1)
      context.addIssue({ code: 'custom', message: 'needs a sampleRate below 1: somebody must be left for the winner', path: ['auto'] })
  })
export type Experiment = z.output<typeof Experiment>

/** The body of POST /v1/campaigns. */
export const CreateCampaign = z
  .strictObject({
    name: name(200),
    segment: SegmentDefinition.optional(),
    segmentId: ObjectId.optional(),
    schedule: Schedule.default({ type: 'now' }),
    experiment: Experiment.optional(),
    ...sendFields,
  })
  .superRefine(contentRequired)
  .superRefine(({ segment, segmentId, experiment, silent }, context) => {
    const refuse = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', message, path })
    if (segment !== undefined && segmentId !== undefined) refuse(['segmentId'], 'must not be given together with segment')
    if (experiment !== undefined && silent === true) refuse(['experiment'], 'must not be given together with silent')
  })
export type CreateCampaign = z.output<typeof CreateCampaign>

/** How a notification names the people or devices that it goes to. */
export const namedBy = ['externalIds', 'userIds', 'subscriptionIds'] as const
export type NamedBy = (typeof namedBy)[number]
/** Of the ids that a send names, its audience shows this many at most. */
export const mostShownIds = 100

/** Every kind of audience a campaign can have. */
export const audienceKinds = ['everyone', 'segment', 'people', 'remainder', 'reached', 'test'] as const

/**
 * Whom a campaign is sent to (spec: administration/campaign-audience). `ids`: the first 100 of `count`; null once the send has ended, since external
 * ids are personal data. `segment`: null while a saved segment has not been copied.
 */
export type CampaignAudience =
  | { kind: 'everyone' }
  | { kind: 'segment'; segmentId: string | null; segment: unknown }
  | { kind: 'people' | 'test'; by: NamedBy; count: number; ids: string[] | null }
  | { kind: 'remainder'; of: string; sampleRate: number }
  | { kind: 'reached'; of: string; skipOpened: boolean }

/** The winner of an experiment. `by`: the operator's name; null when a secret key of the app or Herald itself picked it. `at`: ISO. */
export type Winner = { variant: string; campaignId: string; by: string | null; at: string; decidedBy: DecidedBy }

/** A campaign as the administration shows it (spec: administration/campaign-read), without the counters: those are in the tracker. */
export type Campaign = {
  id: string
  name: string
  status: CampaignStatus
  transactional: boolean
  content: Content | null
  templateId: string | null
  /**
   * The segment of the target. Null when the target is everyone or a list of users or devices, and while the definition of the saved segment
   * `segmentId` has not been copied yet.
   */
  segment: unknown
  segmentId: string | null
  audience: CampaignAudience
  schedule: Schedule | null
  experiment: Experiment | null
  /** Null in a campaign without an experiment, and until a winner is picked. */
  winner: Winner | null
  silent: boolean
  data: Record<string, string>
  ttl: number
  collapseId: string | null
  priority: Priority
  presentation: Presentation | null
  overrides: Overrides | null
  /** The id of the send's category; null without one. */
  category: string | null
  /** Whether people find the campaign in their inbox. */
  inbox: boolean
  bypass: Bypass
  /** What a send to a Live Activity is for; left out of any other. */
  activity?: Pick<LiveActivity, 'activityId' | 'event' | 'attributesType' | 'timestamp'>
  sendRate: SendRate | null
  recurringOf: string | null
  remainderOf: string | null
  /** The campaign that this one recalls, as its follow-up; null in every other campaign. */
  recallOf: string | null
  /** The follow-ups that recall this campaign, oldest first. Only the read of one campaign has them, and only when there are some. */
  recalls?: { campaignId: string; mode: RecallMode; status: CampaignStatus }[]
  /** The operator or administration key that made it; null when a secret key or Herald did. */
  author: string | null
  /** True for a test, which no series and no useCount counts. */
  test: boolean
  /** Why the status is `failed`; null in other statuses. */
  failure: { code: string; message: string } | null
  /** True from a cancel of the send under way until the status becomes `cancelled`, which it does when the last push has an outcome. */
  cancelling: boolean
  /**
   * When a scheduled campaign begins or an active one has its next run; after the last run, when the active campaign ends. Null in other statuses.
   */
  nextAt: string | null
  /** How many occurrences of a recurrence have no run because it could not be made in time. */
  missedCount: number
  createdAt: string
  startedAt: string | null
  settledAt: string | null
}

/** Whether a send under way goes on, is paused or was cancelled (spec: campaigns/pause, campaigns/resume, campaigns/cancel-under-way). */
export const campaignFlows = ['running', 'paused', 'cancelled'] as const
export type CampaignFlow = (typeof campaignFlows)[number]
/**
 * A flow with the number of its change, which rises, so that a late repeat of an earlier change has no effect. `perMinute`: the send's rate; 0 when it
 * was taken away, absent when it never had one.
 */
export const FlowChange = z.object({
  flow: z.enum(campaignFlows),
  no: z.number().int().min(0),
  perMinute: z.number().int().min(0).optional(),
})
export type FlowChange = z.infer<typeof FlowChange>
