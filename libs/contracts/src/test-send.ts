import { z } from 'zod'
import { VariantId } from './campaign.ts'
import { outcomes } from './outcome.ts'
import { platforms } from './platform.ts'
import { contentRequired, sendFields } from './send-fields.ts'
import { ExternalId, ObjectId } from './text.ts'

/** A test goes to at most this many devices (spec: administration/test-send-devices). */
export const mostTested = 20
/** At most this many devices of an app are test devices (spec: administration/test-devices). */
export const mostTestDevices = 100

const several = <T extends z.ZodType>(item: T) =>
  z.array(item).min(1, `must hold 1 to ${mostTested} items`).max(mostTested, `must hold 1 to ${mostTested} items`)

/**
 * The ways to name the devices of a test. A single device may be any device; several devices must be test devices. Users stand for their test devices.
 */
const selectors = {
  subscriptionId: ObjectId.optional(),
  subscriptionIds: several(ObjectId).optional(),
  userIds: several(ObjectId).optional(),
  externalIds: several(ExternalId).optional(),
}

/** The body of POST /v1/admin/apps/:appId/test-send: what is tested, and on which devices. */
export const TestSend = z
  .strictObject({
    ...selectors,
    /** The campaign whose content is tested. The send fields are then left out. */
    campaignId: ObjectId.optional(),
    /** A variant of that campaign's experiment. */
    variant: VariantId.optional(),
    /** Puts `[Test] ` before each title. */
    mark: z.boolean().optional(),
    ...sendFields,
  })
  .superRefine((test, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', message, path: [path] })
    const given = Object.keys(selectors).filter((name) => test[name as keyof typeof selectors] !== undefined)
    if (given.length !== 1)
      refuse('subscriptionId', 'or one of subscriptionIds, userIds and externalIds must be given, and only one of them')
    if (test.campaignId === undefined) {
      contentRequired(test, context)
      if (test.variant !== undefined) refuse('variant', 'must be given together with campaignId only')
    } else {
      const beside = Object.keys(sendFields).find((name) => test[name as keyof typeof sendFields] !== undefined)
      if (beside !== undefined) refuse('campaignId', `must not be given together with ${beside}`)
    }
  })
export type TestSend = z.output<typeof TestSend>

/** The devices that a test names, by one of the selectors. */
export const TestSelector = z.union([
  z.strictObject({ subscriptionId: ObjectId }),
  z.strictObject({ subscriptionIds: several(ObjectId) }),
  z.strictObject({ userIds: several(ObjectId) }),
  z.strictObject({ externalIds: several(ExternalId) }),
])
export type TestSelector = z.output<typeof TestSelector>

/** A device that a test names but that gets no push, because it has opted out or is invalidated. */
export const NotQueued = z.object({ subscriptionId: ObjectId, platform: z.enum(platforms), code: z.enum(['opted_out', 'invalidated']) })
export type NotQueued = z.output<typeof NotQueued>

/** How the push of a test to a device ended. `not_queued`: no push was queued, because the device had opted out or was invalidated. */
export const TestResult = z.object({
  subscriptionId: ObjectId,
  platform: z.enum(platforms),
  outcome: z.enum([...outcomes, 'not_queued']),
  code: z.string().nullable(),
  providerCode: z.string().nullable(),
  attempts: z.int().min(0),
})
export type TestResult = z.output<typeof TestResult>

const Time = z.iso.datetime()
const nullable = z.string().nullable()

/**
 * A test device, as the administration shows it. Only the first 8 characters of its token or endpoint are shown
 * (spec: administration/masked-addresses).
 */
export const TestDevice = z.object({
  id: ObjectId,
  userId: ObjectId,
  externalId: nullable,
  platform: z.enum(platforms),
  /** The masked token; mobile devices only. */
  token: z.string().optional(),
  /** The masked endpoint; browsers only. */
  endpoint: z.string().optional(),
  optedIn: z.boolean(),
  invalidatedAt: Time.nullable(),
  appVersion: nullable,
  osVersion: nullable,
  deviceModel: nullable,
  browser: nullable,
  createdAt: Time,
  lastActiveAt: Time,
  markedAt: Time,
})
export type TestDevice = z.output<typeof TestDevice>
