import { ExportedDelivery, ExportedPush, ExportedUser, MaskedDevice, OwnedDevice, Person, PersonSummary } from '@herald/contracts/person'
import { outcomes } from '@herald/contracts/outcome'
import { platforms } from '@herald/contracts/platform'
import { engagementKinds } from '@herald/contracts/event'
import { z } from 'zod'

/** What the administration says of people, for its document. */
const nullable = z.string().nullable()

const ShownPush = z.object({
  campaignId: z.string(),
  subscriptionId: z.string(),
  userId: z.string(),
  platform: z.enum(platforms),
  variant: nullable,
  outcome: z.enum([...outcomes, 'open']),
  code: nullable,
  providerCode: nullable,
  attempts: z.int().min(0),
  settledAt: nullable,
  engagements: z.array(z.enum(Object.values(engagementKinds))),
  state: z.enum(['waiting', 'sending', 'held', 'retry']).optional(),
  nextTryAt: nullable.optional(),
})
const pushes = z.array(ShownPush).meta({ description: 'The newest 50.' })

export const PeopleList = z.object({ items: z.array(PersonSummary), nextCursor: nullable })
export const FoundPerson = z.object({ user: Person })
export const PersonWithPushes = Person.extend({ pushes })
export const DeviceWithPushes = OwnedDevice.extend({ pushes })

const End = z.object({ type: z.literal('end'), count: z.int().min(0).meta({ description: 'How many lines came before this one.' }) })
export const UserLine = z.union([ExportedUser.extend({ type: z.literal('user') }), End])
export const PushLine = z.union([ExportedPush.extend({ type: z.literal('push') }), End])
export const PersonLine = z.union([
  Person.omit({ subscriptions: true, preferences: true }).extend({ type: z.literal('user') }),
  MaskedDevice.extend({ type: z.literal('subscription') }),
  z.object({ type: z.literal('preference'), category: z.string(), subscribed: z.boolean() }),
  ExportedPush.extend({ type: z.literal('push') }),
  ExportedDelivery.extend({ type: z.literal('webhook_delivery') }),
  End,
])
