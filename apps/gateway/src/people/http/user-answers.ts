import { StoredConversion } from '@herald/contracts/conversion'
import { ExportedDelivery, ExportedPush, ExportedUser, MaskedDevice, OwnedDevice, MaskedUser, UserSummary } from '@herald/contracts/person'
import { SavedSegment } from '@herald/contracts/saved-segment'
import { z } from 'zod'
import { Count, listOf, nextCursor, Push, Time } from '../../http/answers.ts'

/* The schemas of what the administration answers about users, devices and tags. */

const pushes = z.array(Push).meta({ description: 'The newest 50.' })

export const UserList = z.object({ items: z.array(UserSummary), nextCursor })
export const FoundUser = z.object({ user: MaskedUser })
const conversions = z.array(StoredConversion).meta({ description: 'The newest 50.' })
export const UserWithPushes = MaskedUser.extend({ pushes, conversions })
export const DeviceWithPushes = OwnedDevice.extend({ pushes })

const End = z.object({ type: z.literal('end'), count: z.int().min(0).meta({ description: 'How many lines came before this one.' }) })
export const UserLine = z.union([ExportedUser.extend({ type: z.literal('user') }), End])
export const PushLine = z.union([ExportedPush.extend({ type: z.literal('push') }), End])
export const UserPartLine = z.union([
  MaskedUser.omit({ subscriptions: true, preferences: true }).extend({ type: z.literal('user') }),
  MaskedDevice.extend({ type: z.literal('subscription') }),
  z.object({ type: z.literal('preference'), category: z.string(), subscribed: z.boolean() }),
  ExportedPush.extend({ type: z.literal('push') }),
  StoredConversion.extend({ type: z.literal('conversion') }),
  ExportedDelivery.extend({ type: z.literal('webhook_delivery') }),
  End,
])

export const TagList = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      type: z.enum(['string', 'number', 'boolean', 'mixed']).meta({ description: '`mixed`: users have values of several types.' }),
      users: Count.meta({ description: 'Users who have this tag; estimated where `exact` is false.' }),
      low: Count.meta({ description: 'The lower end of the 95 % interval of `users`.' }),
      high: Count.meta({ description: 'The upper end of the 95 % interval of `users`.' }),
      values: z.array(z.string()).max(5).meta({ description: 'The most frequent values as text, the first 100 characters of each.' }),
    }),
  ),
  nextCursor,
  exact: z.boolean().meta({ description: 'True when every user of the app was read.' }),
  sample: Count.meta({ description: 'Users that were read.' }),
  users: Count.meta({ description: 'Users of the app; estimated where `exact` is false.' }),
  asOf: Time,
})

export const SegmentsOfApp = listOf(SavedSegment)
