import { platforms } from '@herald/contracts/platform'
import { campaignStatuses } from '@herald/contracts/stats'
import { deliveryStates } from '@herald/contracts/webhook'
import { z } from 'zod'
import { CampaignStats, Id } from '../../http/answers.ts'

/** What the administration answers of waves, runs, tags and deliveries, for its OpenAPI document. */

const Time = z.string().meta({ format: 'date-time' })
const Count = z.int().min(0)
const nextCursor = z.string().nullable().meta({ description: 'The cursor of the next page; null on the last page.' })
const ByPlatform = z.object(
  Object.fromEntries(platforms.map((platform) => [platform, Count])) as Record<(typeof platforms)[number], typeof Count>,
)

export const WaveList = z.object({
  items: z.array(
    z.object({
      no: z.int().min(1).meta({ description: 'Counted from 1.' }),
      at: Time.meta({ description: 'When it begins.' }),
      zones: z.array(z.string().nullable()).nullable().meta({
        description:
          'The time zones whose users it reaches; null among them stands for users without one. Null instead of a list: all users. The last wave reaches everybody else too.',
      }),
      state: z
        .enum(['waiting', 'running', 'done', 'cancelled'])
        .meta({ description: '`cancelled`: the send failed or was cancelled before the wave was over.' }),
      queued: Count.meta({ description: 'Pushes that it has queued so far.' }),
      byPlatform: ByPlatform,
    }),
  ),
  nextCursor,
})

export const RunList = z.object({
  items: z.array(
    z.object({
      id: Id,
      localDate: z.string().meta({ format: 'date', description: 'The day it is for, in the zone of the schedule.' }),
      status: z.enum(campaignStatuses),
      cancelling: z.boolean(),
      failure: z.object({ code: z.string(), message: z.string() }).nullable(),
      createdAt: Time,
      startedAt: Time.nullable(),
      settledAt: Time.nullable(),
      stats: CampaignStats.shape.stats,
    }),
  ),
  nextCursor,
})

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

const Delivery = z.object({
  id: z.string().meta({ description: 'dlv_ and 24 hexadecimal characters.' }),
  state: z.enum(deliveryStates),
  eventCount: Count,
  attempts: z.array(z.object({ at: Time, status: z.int().nullable(), error: z.string().nullable(), latencyMs: z.number().min(0) })),
  nextAttemptAt: Time.nullable(),
  replayable: z.boolean(),
  createdAt: Time,
  endedAt: Time.nullable(),
})
export const DeliveryWithBody = Delivery.extend({
  body: z
    .string()
    .nullable()
    .meta({ description: 'The text that is posted, byte for byte: a JSON of id and events. Null when it is no longer kept.' }),
})
