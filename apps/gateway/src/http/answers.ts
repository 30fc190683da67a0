import { platforms } from '@herald/contracts/platform'
import { SavedSegment } from '@herald/contracts/saved-segment'
import { campaignStatuses } from '@herald/contracts/stats'
import { Template } from '@herald/contracts/template'
import { Id } from '@herald/contracts/text'
import { z } from 'zod'
import { ShownPreferences as Shown } from '@herald/contracts/category'
import { attributions } from '@herald/contracts/conversion'
import type { LedgerRow } from '@herald/contracts/calls/tracker'
import { engagementKinds } from '@herald/contracts/event'
import { failureCodes, outcomes, skipReasons } from '@herald/contracts/outcome'
import type { ShownOpenPush } from '../core/open-push.ts'

/* Schemas of answers, for the OpenAPI document. Those that other services use too are in @herald/contracts. */

export const Time = z.string().meta({ format: 'date-time' })
export const Count = z.int().min(0)

export const Registered = z.object({ id: Id, platform: z.enum(platforms), userId: Id })
export const OptedIn = z.object({ id: Id, optedIn: z.boolean() })
export const Session = z.object({ id: Id, sessionCount: Count, lastSessionAt: Time })
export const LoggedIn = z.object({ userId: Id, externalId: z.string() })
export const LoggedOut = z.object({ userId: Id })
export const OwnerChanged = z.object({ userId: Id, tags: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])) })
export const ShownPreferences = Shown
export const Rotated = z.object({ id: Id })

export const TokenKept = z.object({ id: Id.meta({ description: 'The id of the device.' }) })
export const Accepted = z.object({ id: Id, status: z.literal('sending') })
export const Recalled = z.object({
  id: Id.meta({ description: 'The follow-up, which has its own counters; with mode `stop` the campaign itself.' }),
  status: z.enum(['scheduled', 'cancelled', 'sending', 'paused']).meta({
    description:
      '`scheduled`: the follow-up begins once every push of the campaign has an outcome. With mode `stop` the status of the campaign, which is `cancelled` once its last push has an outcome.',
  }),
})

const Index = z.int().min(0).meta({ description: 'The place of the item in the request, counted from 0.' })
export const ItemError = z
  .object({
    code: z.string(),
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({
    description:
      'Why the item was refused: the error that a request for this item alone would get, with the path of the field in this request.',
  })
export const UsersChanged = z.object({
  results: z.array(
    z.object({ index: Index, status: z.int(), id: Id.optional(), created: z.boolean().optional(), error: ItemError.optional() }),
  ),
})
const attribution = z
  .object({ campaignId: Id, how: z.enum(attributions) })
  .optional()
  .meta({ description: 'The campaign that led to it; left out when there is none.' })
export const ConversionReported = z.object({ id: z.string(), status: z.enum(['counted', 'duplicate']), attribution })
export const ConversionsReported = z.object({
  results: z.array(
    z.object({
      id: z.string().nullable().meta({ description: 'As in the request; null when it is not a text.' }),
      status: z.enum(['counted', 'duplicate', 'unknown_user', 'invalid']),
      error: ItemError.optional(),
      attribution,
    }),
  ),
})
export const SendsAccepted = z.object({
  results: z.array(
    z.object({ index: Index, status: z.int(), id: Id.optional(), replayed: z.boolean().optional(), error: ItemError.optional() }),
  ),
})

export const Drafted = z.object({ id: Id, status: z.literal('draft') })
export const Started = z.object({ status: z.enum(['sending', 'scheduled', 'active']) })
export const Cancelled = z.object({ status: z.literal('cancelled') })

const Conversions = z
  .record(
    z.string(),
    z.object({
      count: Count,
      direct: Count.meta({ description: 'The push was opened or clicked before, or the report names it.' }),
      influenced: Count.meta({ description: 'The push was sent shortly before.' }),
      users: Count.meta({ description: 'Different users.' }),
      value: z.record(z.string(), z.string()).meta({ description: 'The exact sum by currency, as a decimal number.' }),
    }),
  )
  .optional()
  .meta({ description: 'Attributed conversions, by name; left out while there is none.' })
const counted = { sent: Count, failed: Count, skipped: Count, delivered: Count, opened: Count, clicked: Count, dismissed: Count }
const Rate = z.number().min(0).nullable()
export const CampaignStats = z.object({
  id: Id,
  status: z.enum(campaignStatuses),
  stats: z.object({
    queued: Count,
    ...counted,
    conversions: Conversions,
    variants: z
      .record(z.string(), z.object({ ...counted, conversions: Conversions }))
      .optional()
      .meta({ description: 'By variant id, for experiments only.' }),
  }),
  rates: z.object({ delivery: Rate, open: Rate, click: Rate }).meta({
    description: 'delivered divided by sent; opened and clicked divided by delivered. Four decimals; null when the divisor is 0.',
  }),
})

export const nextCursor = z.string().nullable().meta({ description: 'The cursor of the next page; null on the last page.' })
export const SegmentList = z.object({ segments: z.array(SavedSegment), nextCursor })
export const TemplateList = z.object({ templates: z.array(Template), nextCursor })

export const WebPushKey = z.object({
  publicKey: z.string().meta({ description: 'The public VAPID key: base64url of 65 bytes.' }),
})

export const Healthy = z.object({ status: z.literal('ok'), db: z.literal('ready') })
export const Unhealthy = z.object({ status: z.literal('unavailable'), db: z.literal('unreachable') })

/**
 * Checks a schema of the OpenAPI document against the type of the answer. The code does not compile when an answer of this type might not fit the
 * schema.
 */
export const describes =
  <Answer>(): (<Schema extends z.ZodType>(schema: Schema & Fits<Answer, Schema>) => Schema) =>
  (schema) =>
    schema
/**
 * Is `unknown`, which every schema fits, when each `Answer` fits the schema; else `never`, which no schema fits, so that the code does not compile.
 */
type Fits<Answer, Schema> = Answer extends z.output<Schema> ? unknown : never

/** Makes the schema of a list as the administration answers it. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), nextCursor })

export const Push = describes<LedgerRow | ShownOpenPush>()(
  z.object({
    campaignId: Id,
    subscriptionId: Id,
    userId: Id,
    platform: z.enum(platforms),
    variant: z.string().nullable(),
    outcome: z.enum([...outcomes, 'open']),
    code: z
      .string()
      .nullable()
      .meta({ description: `One of ${[...failureCodes, ...skipReasons].join(', ')}.` }),
    providerCode: z.string().nullable(),
    attempts: Count,
    settledAt: Time.nullable().meta({ description: 'Null while the push is open.' }),
    engagements: z.array(z.enum(Object.values(engagementKinds))),
    state: z.enum(['waiting', 'sending', 'held', 'retry']).optional().meta({ description: 'Only on a push that is open.' }),
    nextTryAt: Time.nullable()
      .optional()
      .meta({ description: 'Only on a push that is open; null when it is tried at once or being sent.' }),
  }),
)
