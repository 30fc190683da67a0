import { z } from 'zod'
import { platforms } from './platform.ts'

/** Each queued push ends as exactly one of these (spec: tracking/one-outcome). */
export const outcomes = ['sent', 'failed', 'skipped'] as const
export type OutcomeKind = (typeof outcomes)[number]

/** Why a push was skipped: `data.reason` of notification.skipped (spec: tracking/skip-reasons). */
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

/** Why a push failed: `data.code` of notification.failed (spec: tracking/failure-codes). */
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

/** The most pushes of a batch (batch.ts). A push is a place of a batch: 0 is the first. */
export const mostPlaces = 500
const Place = z
  .number()
  .int()
  .min(0)
  .max(mostPlaces - 1)

/** How a push ended, as the ledger keeps it. `code` is a failure code or a skip reason, empty for sent. */
export const End = z.object({
  outcome: z.enum(outcomes),
  code: z.enum([...failureCodes, ...skipReasons, '']),
  /** The provider's own word, e.g. `410 Unregistered`; never a token. */
  providerCode: z.string().max(200),
  /** The experiment's variant, empty without one. */
  variant: z.string().max(100),
  /** Tries at the provider, this one included; 0 when decided without one. */
  attempts: z.number().int(),
  /** The version of the token it was sent to: a dead answer for another version invalidates nothing (spec: providers/dead-spares-the-new). */
  tokenVersion: z.number().int(),
})
export type End = z.infer<typeof End>

/** Pushes of a batch with an equal end. */
export const EndOfPlaces = End.extend({ places: z.array(Place).min(1).max(mostPlaces) })
export type EndOfPlaces = z.infer<typeof EndOfPlaces>

/** Outcomes of one batch. */
export const BatchOutcomes = z.object({
  appId: Id,
  campaignId: Id,
  /** UTC date of the campaign's first page, `YYYY-MM-DD`: the ledger's partition. */
  day: z.iso.date(),
  platform: z.enum(platforms),
  /** The batch's number, per campaign, from 1. A batch of retries has that of the batch its pushes were queued in. */
  no: z.number().int().min(1),
  /** They are of a test: counted in no series, and their events say so. */
  test: z.literal(true).optional(),
  results: z.array(EndOfPlaces).min(1).max(mostPlaces),
})
export type BatchOutcomes = z.infer<typeof BatchOutcomes>

/** One push's end. */
export type PushEnd = End & { place: number }

/** Adds a push to ends as they travel: pushes with an equal end share an entry, in the order that ends were first met. */
export function addEnd(ends: EndOfPlaces[], end: End, place: number): void {
  const known = ends.find((one) => isEqual(one, end))
  if (known) known.places.push(place)
  else {
    const { outcome, code, providerCode, variant, attempts, tokenVersion } = end
    ends.push({ outcome, code, providerCode, variant, attempts, tokenVersion, places: [place] })
  }
}

/** Ends as they travel. */
export function groupEnds(pushes: readonly PushEnd[]): EndOfPlaces[] {
  const ends: EndOfPlaces[] = []
  for (const push of pushes) addEnd(ends, push, push.place)
  return ends
}

const isEqual = (one: End, other: End): boolean =>
  one.attempts === other.attempts &&
  one.tokenVersion === other.tokenVersion &&
  one.outcome === other.outcome &&
  one.code === other.code &&
  one.providerCode === other.providerCode &&
  one.variant === other.variant
