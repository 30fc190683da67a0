import { z } from 'zod'
import { platforms } from './platform.ts'
import { Id } from './text.ts'

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
  'holdout',
  'frequency_cap',
  'quiet_hours',
  'expired',
  'empty_content',
  'cancelled',
  'unsubscribed',
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

/** A batch has at most this many pushes (`batchSize` in batch.ts), so their places are 0 to 499. A push is named by its place in its batch. */
export const mostPlaces = 500
const Place = z
  .number()
  .int()
  .min(0)
  .max(mostPlaces - 1)

/** How a push ended, as the ledger has it. `code` is a failure code or a skip reason; it is empty for `sent`. */
export const End = z.object({
  outcome: z.enum(outcomes),
  code: z.enum([...failureCodes, ...skipReasons, '']),
  /** The provider's own words, e.g. `410 Unregistered`, or Herald's word for why there was no answer; never a token. */
  providerCode: z.string().max(200),
  /** The id of the experiment's variant; empty without an experiment. */
  variant: z.string().max(100),
  /**
   * How many attempts at the provider the push has had, the last one included. Only attempts that count are in it (`maxTries`). 0 when the outcome
   * was decided before the first of them.
   */
  attempts: z.number().int(),
  /**
   * The version of the token to which the push was sent. Audience compares it when the answer says that the token is dead: a device that has a newer
   * token by now is not invalidated (spec: providers/dead-spares-the-new).
   */
  tokenVersion: z.number().int(),
})
export type End = z.infer<typeof End>

/** Pushes of a batch that ended in the same way. */
export const EndOfPlaces = End.extend({ places: z.array(Place).min(1).max(mostPlaces) })
export type EndOfPlaces = z.infer<typeof EndOfPlaces>

/** A push has at most this many attempts that count before its last one: `maxTries` (batch.ts) less one. */
export const mostAttemptsBefore = 4
/** The provider's answer to an attempt that was not the push's last. `at`: when the answer came (ISO), by the database's clock. */
export const Attempt = z.object({ at: z.iso.datetime(), code: z.enum(failureCodes).nullable(), providerCode: z.string().max(200) })
export type Attempt = z.infer<typeof Attempt>

export const BatchOutcomes = z.object({
  appId: Id,
  campaignId: Id,
  /** UTC date of the campaign's first page, `YYYY-MM-DD`, which names the ledger's partition. */
  day: z.iso.date(),
  platform: z.enum(platforms),
  /** The batch's number in its campaign, from 1. A batch of retries has the number of the batch in which its pushes were queued. */
  no: z.number().int().min(1),
  /**
   * In a batch of retries: the providers' answers to earlier attempts, in order, which all its pushes share. A trail that does not fit the schema is
   * dropped, so that the outcomes are still recorded.
   */
  trail: z.array(Attempt).max(mostAttemptsBefore).optional().catch(undefined),
  /** True for outcomes of a test, which no series counts and whose events say that it is a test. */
  test: z.literal(true).optional(),
  results: z.array(EndOfPlaces).min(1).max(mostPlaces),
})
export type BatchOutcomes = z.infer<typeof BatchOutcomes>

/** The end of one push, and its place in the batch. */
export type PushEnd = End & { place: number }

/**
 * Adds the end of a push to the ends of a batch. Pushes that ended in the same way share an entry; the entries have the order in which their ends
 * first came.
 */
export function addEnd(ends: EndOfPlaces[], end: End, place: number): void {
  const known = ends.find((one) => isEqual(one, end))
  if (known) known.places.push(place)
  else {
    const { outcome, code, providerCode, variant, attempts, tokenVersion } = end
    ends.push({ outcome, code, providerCode, variant, attempts, tokenVersion, places: [place] })
  }
}

/** Groups the ends of a batch's pushes for a message: pushes that ended in the same way share an entry. */
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
