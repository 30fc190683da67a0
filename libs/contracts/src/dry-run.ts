import { z } from 'zod'
import type { CircuitEnvironment } from './batch.ts'
import { CreateCampaign } from './campaign.ts'
import { SendNotification } from './notification.ts'
import { skipReasons, type FailureCode, type SkipReason } from './outcome.ts'
import type { Platform } from './platform.ts'
import type { Recipient } from './recipient.ts'
import { Id, line, ObjectId } from './text.ts'

const mostSamples = 20
const defaultSamples = 5

/**
 * The devices whose push a dry run shows: those of `subscriptionIds`, or `random` many chosen from the target. While the target's devices stay the
 * same, the same `seed` chooses the same devices.
 */
export const Samples = z
  .strictObject({
    subscriptionIds: z.array(ObjectId).min(1).max(mostSamples).optional(),
    random: z.int().min(1).max(mostSamples).optional(),
    seed: z.union([z.int().min(0), line(1, 64)]).optional(),
  })
  .superRefine(({ subscriptionIds, random, seed }, context) => {
    if (subscriptionIds !== undefined && (random !== undefined || seed !== undefined))
      context.addIssue({ code: 'custom', message: 'must have either subscriptionIds, or random with or without a seed' })
  })
export type Samples = z.output<typeof Samples>

/** Gives the samples of a request, with defaults for the fields that the request leaves out. `newSeed` is the seed when the request has none. */
export const samplesOf = (samples: Samples | undefined, newSeed: string): ChosenSamples =>
  samples?.subscriptionIds
    ? { subscriptionIds: samples.subscriptionIds }
    : { random: samples?.random ?? defaultSamples, seed: String(samples?.seed ?? newSeed) }

export const ChosenSamples = z.union([
  z.object({ subscriptionIds: z.array(Id).max(mostSamples) }),
  z.object({ random: z.number().int().min(1).max(mostSamples), seed: z.string().max(64) }),
])
export type ChosenSamples = z.infer<typeof ChosenSamples>

/** What a dry run tries: exactly one of these, or a `campaignId` in a request of the administration. */
const tried = { notification: SendNotification.optional(), campaign: CreateCampaign.optional() }
const oneOf = (names: string) => `must be given, or another of ${names} in its place; exactly one of them`
const isOne = (given: unknown[]): boolean => given.filter((one) => one !== undefined).length === 1

/** The body of POST /v1/notifications/dry-run. */
export const DryRun = z.strictObject({ ...tried, samples: Samples.optional() }).superRefine(({ notification, campaign }, context) => {
  if (!isOne([notification, campaign]))
    context.addIssue({ code: 'custom', message: oneOf('notification and campaign'), path: ['notification'] })
})

/** The body of POST /v1/admin/apps/:appId/dry-run. In place of a notification or a campaign it may name a stored campaign of any status. */
export const DryRunOfApp = z
  .strictObject({ ...tried, campaignId: ObjectId.optional(), samples: Samples.optional() })
  .superRefine(({ notification, campaign, campaignId }, context) => {
    if (!isOne([notification, campaign, campaignId]))
      context.addIssue({ code: 'custom', message: oneOf('notification, campaign and campaignId'), path: ['notification'] })
  })
export type DryRun = z.output<typeof DryRunOfApp>

/**
 * Why a device that was chosen as a sample would not be sent to: a skip reason, or the device is outside the target, or its user is outside the
 * sample of the experiment.
 */
export const sampleSkips = [...skipReasons, 'not_in_target', 'not_in_experiment'] as const
export type SampleSkip = (typeof sampleSkips)[number]

/**
 * How one number was estimated. `sampleSize`: how many devices were read, in random blocks of the table. With a probability of 95 % the true number
 * lies in `interval`.
 */
export type Estimated = { sampleSize: number; interval: [low: number, high: number] }

/** How many devices would be shown the text that one variant has in one locale. */
export type ShownLocale = {
  /** The id of the variant; empty without an experiment. */
  variant: string
  locale: string
  byPlatform: Record<Platform, number>
  /** How many of these devices get the default locale because the content has no text in the user's language. */
  fallback: number
  /** How many of the `fallback` devices have a user whose language is known. */
  missing: number
}

/** A sample device, chosen from the target or named by the request. */
export type SampleDevice = {
  subscriptionId: string
  userId: string
  platform: Platform
  variant: string
  skip: SampleSkip | null
  /** The values with which the device's text is filled in, without address and keys. Null when the device cannot be sent to now. */
  recipient: Recipient | null
}

/** What audience counts for a dry run. Numbers count devices unless they are named `users` or `unknownIds`. */
export type AudienceDryRun = {
  /** When the send would begin (ISO), by the database's clock. */
  startsAt: string
  /** The reachable devices of the target (`byPlatform`) and the users who own them (`users`). For an experiment the remainder is included. */
  audience: { users: number; byPlatform: Record<Platform, number> }
  /**
   * The sample from which the numbers of this answer were estimated. Its interval is that of the number of devices in `audience`; the number of users
   * has none. Null when every device was counted.
   */
  estimated: Estimated | null
  /**
   * Whether the numbers cover all that the send will leave out. False only for an experiment's winner, which also leaves out devices with an outcome
   * in the experiment; these are known only when the send begins.
   */
  isWhole: boolean
  unreachable: { optedOut: number; invalidated: number }
  skips: {
    /** `opted_out`: only with `inbox`: these devices are queued too, beside the audience, and skipped. */
    reason: SkipReason
    devices: number
    estimated: Estimated | null
  }[]
  /** How many devices would be sent to: those that no reason skips. */
  toSend: number
  /** Without the users in whose zones the date and time of the send have passed, whom it skips as `expired`. */
  waves: { at: string; devices: number }[]
  experiment: { inSample: number; remainder: number; byVariant: Record<string, number> } | null
  locales: ShownLocale[]
  /** How many of the browsers an import has brought and have not come to the site since, so that Herald's worker may not be in them. */
  webNeverSeen: number
  /** How many ids in the target belong to no user or device of the app. */
  unknownIds: number
  samples: SampleDevice[]
  /** The indexes, in the request's list of sample devices, of devices that do not exist. */
  unknownSamples: number[]
  openCircuits: { platform: Platform; environment: CircuitEnvironment; code: FailureCode | null }[]
}
