import { z } from 'zod'
import { Choices } from './category.ts'
import { engagementKinds, eventTypes } from './event.ts'
import { outcomes } from './outcome.ts'
import { perPlatform, platforms } from './platform.ts'
import { Subscription, User } from './user.ts'
import { Id } from './text.ts'

/*
 * Users as the administration shows them: tokens and endpoints masked (the first 8 characters and `…`), without the keys of browsers. Only the export
 * of all users has them in full, when asked.
 */

const Time = z.iso.datetime()
const nullable = z.string().nullable()
const Count = z.int().min(0)

/** A user in a list (spec: administration/users). `reachable`: the number of the user's reachable devices. */
export const UserSummary = z.object({
  id: Id,
  externalId: nullable,
  language: nullable,
  timezone: nullable,
  country: nullable,
  createdAt: Time,
  lastActiveAt: Time,
  devices: z.object(perPlatform(() => Count)),
  reachable: Count,
})
export type UserSummary = z.infer<typeof UserSummary>

const activityTokens = z
  .array(z.object({ name: z.string(), starts: z.boolean(), attributesType: z.string(), token: z.string(), changedAt: Time }))
  .optional()
  .meta({ description: 'Its tokens of Live Activities, always masked: `starts` for one that starts a type. Left out when there is none.' })

/** A device with its token or endpoint masked. `test`: whether it is a test device. */
export const MaskedDevice = Subscription.omit({ keys: true }).extend({ test: z.boolean(), activityTokens })
export type MaskedDevice = z.infer<typeof MaskedDevice>

/** The user's own choices, by the id of the category; a category without a choice has its default (spec: categories/person). */
export const Preferences = Choices

/** A user with the user's devices, whose tokens and endpoints are masked. */
export const MaskedUser = User.omit({ subscriptions: true }).extend({ subscriptions: z.array(MaskedDevice), preferences: Preferences })
export type MaskedUser = z.infer<typeof MaskedUser>

/** A device with its token or endpoint masked, and its owner. */
export const OwnedDevice = MaskedDevice.extend({ user: z.object({ id: Id, externalId: nullable }) })
export type OwnedDevice = z.infer<typeof OwnedDevice>

/** The search for a user by a token or an endpoint; exactly one of them is given. It travels in a request body and never in a URL. */
export const AddressSearch = z
  .strictObject({ token: z.string().min(1).max(4096).optional(), endpoint: z.string().min(1).max(2048).optional() })
  .refine(({ token, endpoint }) => (token === undefined) !== (endpoint === undefined), 'must hold exactly one of token, endpoint')
export type AddressSearch = z.output<typeof AddressSearch>

/** Whether the export of all users shows tokens, endpoints and keys masked or in full. */
export const addressForms = ['masked', 'full'] as const
export type AddressForm = (typeof addressForms)[number]

/**
 * A user in the export of all users. `lastNotifiedAt` is left out: for most apps only the ledger has it, and the export of a campaign's pushes shows
 * it. `keys` are included only when addresses are shown in full.
 */
export const ExportedUser = User.omit({ subscriptions: true }).extend({
  subscriptions: z.array(Subscription.omit({ lastNotifiedAt: true }).extend({ activityTokens })),
  preferences: Preferences,
})
export type ExportedUser = z.infer<typeof ExportedUser>

/**
 * A push in an export. `id`: its place in the ledger, after which the next part of a campaign's export begins; in a user's export only pushes with an
 * outcome have one. `open`: true while the push has no outcome.
 */
export const ExportedPush = z.object({
  id: nullable,
  campaignId: Id,
  subscriptionId: Id,
  userId: Id,
  platform: z.enum(platforms),
  variant: nullable,
  outcome: z.enum([...outcomes, 'open']),
  code: nullable,
  providerCode: nullable,
  attempts: Count,
  settledAt: Time.nullable(),
  engagements: z.array(z.object({ kind: z.enum(Object.values(engagementKinds)), at: Time })),
})
export type ExportedPush = z.infer<typeof ExportedPush>

/** A webhook delivery that names a user, with those of its events that name the user. Webhooks has it as long as it stores the delivery's body. */
export const ExportedDelivery = z.object({
  id: z.string(),
  webhookId: Id,
  state: z.enum(['pending', 'delivered', 'failed', 'erased']),
  createdAt: Time,
  endedAt: Time.nullable(),
  events: z.array(z.looseObject({ id: z.string(), type: z.enum(eventTypes) })),
})
export type ExportedDelivery = z.infer<typeof ExportedDelivery>
