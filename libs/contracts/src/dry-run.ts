import { z } from 'zod'
import type { CircuitEnvironment } from './batch.ts'
import { CreateCampaign } from './campaign.ts'
import { SendNotification } from './notification.ts'
import { skipReasons, type FailureCode } from './outcome.ts'
import type { Platform } from './platform.ts'
import type { Recipient } from './recipient.ts'
import { line, ObjectId } from './text.ts'

const mostSamples = 20
const defaultSamples = 5

/** Which devices of the audience a dry run shows as examples. The same seed chooses the same devices, as long as the audience is the same. */
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

/** The samples of a request, with defaults for the fields that it leaves out. `newSeed` is used when it has no seed. */
export const samplesOf = (samples: Samples | undefined, newSeed: string): ChosenSamples =>
  samples?.subscriptionIds
    ? { subscriptionIds: samples.subscriptionIds }
    : { random: samples?.random ?? defaultSamples, seed: String(samples?.seed ?? newSeed) }

export const ChosenSamples = z.union([
  z.object({ subscriptionIds: z.array(z.string().length(24)).max(mostSamples) }),
  z.object({ random: z.number().int().min(1).max(mostSamples), seed: z.string().max(64) }),
])
export type ChosenSamples = z.infer<typeof ChosenSamples>

/** Exactly one of these is tried. */
const tried = { notification: SendNotification.optional(), campaign: CreateCampaign.optional() }
const oneOf = (names: string) => `must be given, or another of ${names} in its place; exactly one of them`
const isOne = (given: unknown[]): boolean => given.filter((one) => one !== undefined).length === 1

/** The body of POST /v1/notifications/dry-run. */
export const DryRun = z.strictObject({ ...tried, samples: Samples.optional() }).superRefine(({ notification, campaign }, context) => {
  if (!isOne([notification, campaign]))
    context.addIssue({ code: 'custom', message: oneOf('notification and campaign'), path: ['notification'] })
})

/** The body of POST /v1/admin/apps/:appId/dry-run: a campaign that exists may be tried too, in any status. */
export const DryRunOfApp = z
  .strictObject({ ...tried, campaignId: ObjectId.optional(), samples: Samples.optional() })
  .superRefine(({ notification, campaign, campaignId }, context) => {
    if (!isOne([notification, campaign, campaignId]))
      context.addIssue({ code: 'custom', message: oneOf('notification, campaign and campaignId'), path: ['notification'] })
  })
export type DryRun = z.output<typeof DryRunOfApp>

/**
 * Why a device that was chosen as a sample would not be sent to: a skip reason, or it is outside the target, or outside the sample of the
 * experiment.
 */
export const sampleSkips = [...skipReasons, 'not_in_target', 'not_in_experiment'] as const
export type SampleSkip = (typeof sampleSkips)[number]

/** How a number was estimated: from a block sample of `sampleSize` devices, with the interval that holds the true number 95 times in a hundred. */
export type Estimated = { sampleSize: number; interval: [low: number, high: number] }

/** Devices that would be shown the text of a locale. */
export type ShownLocale = {
  /** Empty without an experiment. */
  variant: string
  locale: string
  byPlatform: Record<Platform, number>
  /** How many of these devices get the default locale because the content has no text in their language. */
  fallback: number
  /** Those of `fallback` whose users have a language. */
  missing: number
}

/** A device that was chosen from the audience, or that the request named. */
export type SampleDevice = {
  subscriptionId: string
  userId: string
  platform: Platform
  variant: string
  skip: SampleSkip | null
  /** The values that its text is filled in with, without address and keys. Null when the device cannot be sent to now. */
  recipient: Recipient | null
}

/** What audience counts for a send that is only tried. Numbers are devices; all of them are estimated when `estimated` is not null. */
export type AudienceDryRun = {
  /** When the send would begin (ISO), by the database's clock. */
  startsAt: string
  /** Reachable devices of the target. For an experiment they include its remainder. */
  audience: { users: number; byPlatform: Record<Platform, number> }
  /** Null when every device was counted. */
  estimated: Estimated | null
  /** False when some of these devices had their push already and will be left out. Which ones is known only when it is sent. */
  isWhole: boolean
  unreachable: { optedOut: number; invalidated: number }
  skips: { reason: 'silent_web' | 'quiet_hours' | 'frequency_cap'; devices: number; estimated: Estimated | null }[]
  waves: { at: string; devices: number }[]
  experiment: { inSample: number; remainder: number; byVariant: Record<string, number> } | null
  locales: ShownLocale[]
  /** How many ids in the target belong to no user or device. */
  unknownIds: number
  samples: SampleDevice[]
  /** The places, in the list of the request, of devices that do not exist. */
  unknownSamples: number[]
  openCircuits: { platform: Platform; environment: CircuitEnvironment; code: FailureCode | null }[]
}
