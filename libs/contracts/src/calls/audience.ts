import { z } from 'zod'
import { FinishBatch, type TakenBatch } from '../batch.ts'
import { call } from '../call.ts'
import type { Platform } from '../platform.ts'
import type { RegisterSubscription } from '../subscription.ts'

const Id = z.string().length(24)

/** Registers a device or finds it again; the body was checked by the gateway (api.md, POST /v1/subscriptions). */
export const registerSubscription = call<{ id: string; platform: Platform; userId: string }>()(
  'rpc.audience.register-subscription',
  z.object({ appId: Id, subscription: z.custom<RegisterSubscription>() }),
)

/** The definition of a saved segment, as it is now; null when unknown or another app's. */
export const findSegment = call<{ definition: unknown } | null>()('rpc.audience.find-segment', z.object({ appId: Id, segmentId: Id }))

/**
 * Takes a batch: one conditional update, then the recipients as they are now. `knowsSend`: leave the send out. `from` and
 * `takes` ask for a further part of a batch already taken.
 */
export const takeBatch = call<TakenBatch>()(
  'rpc.audience.take-batch',
  z.object({ batchId: Id, knowsSend: z.boolean(), from: z.number().int().default(0), takes: z.number().int().nullable().default(null) }),
  5000,
)

/** Keeps the lease of a taken batch for another 12 s; false: another has it, send nothing more. */
export const renewBatch = call<{ held: boolean }>()('rpc.audience.renew-batch', z.object({ batchId: Id, takes: z.number().int() }))

/** Ends a batch whose outcomes are all committed. `lost`: another take is in charge (or it is done already): nothing was changed. */
export const finishBatch = call<{ answer: 'done' | 'lost' }>()('rpc.audience.finish-batch', FinishBatch, 5000)

/** The tracker's settlement of a campaign: batches and the frozen send are dropped, the fan-out row stays 7 days. */
export const dropCampaign = call<Record<string, never>>()('rpc.audience.drop-campaign', z.object({ campaignId: Id }))

/** Webhooks has committed the effect of these announcements of audience. */
export const confirmAudienceAnnouncements = call<Record<string, never>>()(
  'rpc.audience.confirm-announcements',
  z.object({ announcementIds: z.array(Id).max(1000) }),
)
