import { z } from 'zod'
import { platforms } from './platform.ts'

/** Each queued push ends as exactly one of these (decisions.md 7). */
export const outcomes = ['sent', 'failed', 'skipped'] as const
export type OutcomeKind = (typeof outcomes)[number]

/** Why a push was skipped: `data.reason` of notification.skipped (decisions.md 7). */
export const skipReasons = [
  'opted_out',
  'invalidated',
  'deleted',
  'owner_changed',
  'silent_web',
  'frequency_cap',
  'quiet_hours',
  'expired',
  'empty_content',
  'cancelled',
] as const
export type SkipReason = (typeof skipReasons)[number]

/** Why a push failed: `data.code` of notification.failed (decisions.md 7). */
export const failureCodes = [
  'token_dead',
  'token_invalid',
  'sender_mismatch',
  'payload_too_large',
  'payload_invalid',
  'credentials_invalid',
  'not_configured',
  'rate_limited',
  'provider_unavailable',
  'network_error',
  'timeout',
  'encryption_failed',
  'internal',
] as const
export type FailureCode = (typeof failureCodes)[number]

const Id = z.string().length(24)

/** One push's end, as the ledger keeps it. `code` is a failure code or a skip reason, empty for sent. */
export const Outcome = z.object({
  subscriptionId: Id,
  userId: Id,
  /** The experiment's variant, empty without one. */
  variant: z.string(),
  outcome: z.enum(outcomes),
  code: z.enum([...failureCodes, ...skipReasons, '']),
  /** The provider's own word, e.g. `410 Unregistered`; never a token. */
  providerCode: z.string().max(200),
  /** The version of the token it was sent to: a dead answer for another version invalidates nothing (providers.md). */
  tokenVersion: z.number().int(),
  /** Tries at the provider, this one included; 0 when decided without one. */
  attempts: z.number().int(),
})
export type Outcome = z.infer<typeof Outcome>

/** The outcomes of one batch: all of one campaign and platform. */
export const BatchOutcomes = z.object({
  appId: Id,
  campaignId: Id,
  /** UTC date of the campaign's first page, `YYYY-MM-DD`: the ledger's partition. */
  day: z.iso.date(),
  platform: z.enum(platforms),
  outcomes: z.array(Outcome).min(1).max(1000),
})
export type BatchOutcomes = z.infer<typeof BatchOutcomes>
