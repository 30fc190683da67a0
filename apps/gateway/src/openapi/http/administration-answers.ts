import { KeyKind, Scope, Settings } from '@herald/contracts/administration'
import type { App } from '@herald/contracts/app'
import { environments } from '@herald/contracts/batch'
import { Schedule, Experiment, type Campaign as CampaignRead } from '@herald/contracts/campaign'
import type { Circuit as CircuitRead } from '@herald/contracts/calls/audience'
import type { CheckedProvider } from '@herald/contracts/calls/dispatcher'
import type { LedgerRow, Verification as VerificationRead } from '@herald/contracts/calls/tracker'
import { Content } from '@herald/contracts/content'
import { engagementKinds } from '@herald/contracts/event'
import { failureCodes, outcomes, skipReasons } from '@herald/contracts/outcome'
import { platforms } from '@herald/contracts/platform'
import { SavedSegment } from '@herald/contracts/saved-segment'
import { Bypass, Presentation, Priority } from '@herald/contracts/send-fields'
import { campaignStatuses } from '@herald/contracts/stats'
import { Template } from '@herald/contracts/template'
import { eventTypeNames, type Webhook as WebhookRead, type WebhookDelivery as DeliveryRead } from '@herald/contracts/webhook'
import { z } from 'zod'
import type { System } from '../../overview/read-system.ts'
import type { ShownKey } from '../../apps/store/api-keys.ts'
import type { AuditEntry as AuditRead } from '../../store/audit.ts'
import { CampaignStats, Id } from '../../http/answers.ts'
import { describes } from '../../http/describes.ts'
import type { ShownOpenPush } from '../../campaigns/list-pushes.ts'

/* What the administration answers, for its OpenAPI document. */

const Time = z.string().meta({ format: 'date-time' })
const Count = z.int().min(0)
const nextCursor = z.string().nullable().meta({ description: 'The cursor of the next page; null on the last page.' })

/** A list as this surface answers it. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), nextCursor })

export const AppRead = describes<App>()(z.object({ id: Id, name: z.string(), settings: Settings, createdAt: Time }))
export const AppList = listOf(AppRead)
export const IdentitySecret = z.object({ secret: z.string().meta({ description: 'Shown this once.' }) })

const key = {
  id: Id,
  kind: KeyKind,
  name: z.string(),
  scopes: z.array(Scope),
  hint: z.string().meta({ description: 'How the key ends.' }),
  createdAt: Time,
  lastUsedAt: Time.nullable().meta({ description: 'The hour of its last use, a minute late at most; null when it was never used.' }),
}
export const ApiKey = describes<ShownKey>()(z.object(key))
export const ApiKeyList = listOf(ApiKey)
export const MadeApiKey = describes<ShownKey & { key: string }>()(
  z.object({ ...key, key: z.string().meta({ description: 'The key’s text, shown this once.' }) }),
)

const apns = { teamId: z.string(), keyId: z.string(), bundleId: z.string(), environment: z.enum(['production', 'sandbox']) }
const fcm = { projectId: z.string(), clientEmail: z.string(), tokenUri: z.string() }
const webpush = { subject: z.string(), publicKey: z.string() }
const way = {
  platform: z.enum(platforms),
  environment: z.enum(environments).meta({ description: 'The environment of APNs; empty for other platforms.' }),
  code: z.enum(failureCodes).nullable().meta({ description: 'Why the circuit is open.' }),
  since: Time,
  probeAt: Time.nullable().meta({ description: 'When the next probe is made.' }),
}
export const Circuit = describes<CircuitRead>()(
  z.object({
    ...way,
    state: z.enum(['closed', 'open']),
    heldCount: Count.meta({ description: 'Pushes that wait for the circuit to close.' }),
  }),
)
const circuits = z.array(Circuit)
/** By kind: what a change of credentials answers, and what a read of them does. */
export const CredentialsSet = { apns: z.object(apns), fcm: z.object(fcm), webpush: z.object(webpush) }
export const CredentialsRead = {
  apns: z.object({ ...apns, circuits }),
  fcm: z.object({ ...fcm, circuits }),
  webpush: z.object({ ...webpush, circuits }),
}
export const Probed = z.object({ open: Count.meta({ description: 'How many circuits were open.' }) })
export const ProviderChecked = describes<CheckedProvider & { remedy: string | null }>()(
  z.object({
    ok: z.boolean().meta({ description: 'True when the provider takes the credentials.' }),
    code: z
      .enum(failureCodes)
      .nullable()
      .meta({ description: 'The code with which pushes would fail; null when the credentials are fine.' }),
    providerCode: z.string().nullable().meta({ description: 'The provider’s own words, also when the credentials are fine.' }),
    remedy: z.string().nullable().meta({ description: 'What to do about it.' }),
  }),
)

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
export const PushList = listOf(Push)

export const Webhook = describes<WebhookRead>()(
  z.object({
    id: Id,
    appId: Id,
    url: z.string(),
    description: z.string().nullable(),
    eventTypes: z.array(z.string()).meta({ description: `Of ${eventTypeNames.join(', ')}.` }),
    enabled: z.boolean(),
    disabledReason: z.enum(['consecutive_failures', 'manual']).nullable(),
    disabledAt: Time.nullable(),
    consecutiveFailures: Count,
    secretHint: z.string().meta({ description: 'The last 4 characters of the secret.' }),
    lastDeliveryAt: Time.nullable(),
    lastStatus: z.int().nullable(),
    lastError: z.string().nullable(),
    waitingEvents: Count,
    droppedEvents: Count,
    storedBytes: Count,
    createdAt: Time,
    updatedAt: Time,
  }),
)
export const WebhookList = listOf(Webhook)
const shownOnce = z.string().meta({ description: 'The secret that signs deliveries, shown this once.' })
export const MadeWebhook = Webhook.extend({ secret: shownOnce })
export const WebhookSecret = z.object({ secret: shownOnce })
export const WebhookTested = z.object({
  status: z.int().nullable().meta({ description: 'Null when there was no answer.' }),
  error: z.string().nullable(),
})
export const WebhookDelivery = describes<DeliveryRead>()(
  z.object({
    id: z.string().meta({ description: 'dlv_ and 24 hexadecimal characters.' }),
    state: z.enum(['pending', 'delivered', 'failed', 'erased']),
    eventCount: Count,
    attempts: z.array(z.object({ at: Time, status: z.int().nullable(), error: z.string().nullable(), latencyMs: z.number().min(0) })),
    nextAttemptAt: Time.nullable(),
    replayable: z.boolean(),
    createdAt: Time,
    endedAt: Time.nullable(),
  }),
)
export const WebhookDeliveryList = listOf(WebhookDelivery)

export const SystemRead = describes<System>()(
  z.object({
    version: z.string(),
    baseUrl: z.string().nullable(),
    database: z.enum(['ready', 'unreachable']),
    queue: z.enum(['ready', 'unreachable']).meta({ description: 'NATS, over which the apps of Herald speak.' }),
    ledgerDifference: z.int().min(0).nullable().meta({
      description: 'By how much counters and ledger differ in all; it must be 0. Null when it is not counted yet, or the tracker is away.',
    }),
    openCircuits: z
      .object({ count: Count, items: z.array(z.object({ appId: Id, ...way })) })
      .nullable()
      .meta({ description: 'The open circuits of all apps: the 100 newest. Null when audience is away.' }),
    simulator: z.boolean().meta({ description: 'True when providers are simulated: no real device gets anything.' }),
  }),
)

export const AuditEntry = describes<AuditRead>()(
  z.object({
    id: Id,
    actor: z.string(),
    action: z.string(),
    subject: z.record(z.string(), z.unknown()).meta({ description: 'Ids, names and counts; never a value.' }),
    requestId: z.string().nullable(),
    createdAt: Time,
  }),
)
export const AuditList = listOf(AuditEntry)

export const SegmentsOfApp = listOf(SavedSegment)
export const TemplatesOfApp = listOf(Template)

const { stats, rates } = CampaignStats.shape
export const Campaign = describes<CampaignRead>()(
  z.object({
    id: Id,
    name: z.string(),
    status: z.enum(campaignStatuses),
    transactional: z.boolean(),
    content: Content.nullable(),
    templateId: Id.nullable(),
    segment: z.unknown().meta({ description: 'A Segment; null for everyone, or while it is not yet copied from segmentId.' }),
    segmentId: Id.nullable(),
    schedule: Schedule.nullable(),
    experiment: Experiment.nullable(),
    silent: z.boolean(),
    data: z.record(z.string(), z.string()),
    ttl: z.int(),
    collapseId: z.string().nullable(),
    priority: Priority,
    presentation: Presentation.nullable(),
    bypass: Bypass,
    recurringOf: Id.nullable(),
    remainderOf: Id.nullable(),
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
export const CampaignWithStats = Campaign.extend({ stats })
export const CampaignList = listOf(CampaignWithStats)
export const CampaignWithRates = Campaign.extend({ stats, rates })
export const Cancelling = z.object({ status: z.enum(['sending', 'paused']), cancelling: z.literal(true) })
export const Paused = z.object({ status: z.literal('paused') })
export const Resumed = z.object({ status: z.enum(['sending', 'active']) })
export const Verification = describes<VerificationRead>()(
  z.object({ campaignId: Id, agrees: z.boolean(), difference: Count, counters: stats, ledger: stats }),
)
