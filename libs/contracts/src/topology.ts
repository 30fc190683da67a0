import type { AppName, StoredMessage } from './call.ts'
import { BatchPointers, everyLane, FanOutPointer } from './batch.ts'
import { Announcement } from './event.ts'

/** A message of WORK has one reader and is gone when it is handled. One of EVENTS may have several readers and stays some time. */
export const streams = {
  /** Pointers only (~150 bytes): 256 MB is well over a million of them. A full stream refuses a pointer, and the sweep points at its row again later. */
  WORK: { subjects: ['work.>'], retention: 'workqueue', maxAgeDays: 0, maxBytes: 256_000_000, discard: 'new' },
  EVENTS: { subjects: ['event.>'], retention: 'limits', maxAgeDays: 1, maxBytes: 1_000_000_000, discard: 'old' },
  /** One message per app, which no process reads. When it can be stored, the queue works. */
  CANARY: { subjects: ['canary.>'], retention: 'limits', maxAgeDays: 1, maxBytes: 1_000_000, discard: 'old', maxPerSubject: 1 },
} as const
export type StreamName = keyof typeof streams

/**
 * Raised with every change of a stream or a consumer, and written on each of them. A process with an older version leaves them as they are, so that a
 * process that has not been restarted yet does not undo an upgrade.
 */
export const topologyVersion = 1

/** The one app that makes streams and consumers. It holds every secret of the installation anyway, and these rights reveal them all. */
export const streamsOwner: AppName = 'gateway'

export const canarySubject = (app: AppName): string => `canary.${app}`

/** Within this window a repeated Nats-Msg-Id is dropped: a filter for double publishing, not a guarantee. */
export const duplicateWindowSeconds = 120

export type Consumer<Body> = StoredMessage<Body> & {
  readonly durable: string
  readonly stream: StreamName
  readonly subject: string
  /** The most messages that are delivered and not yet acked, over all processes of the app. It bounds what a stuck reader holds. */
  readonly maxAckPending: number
  /** A message whose reader died comes back after this. Readers ack within seconds: long work is a row with a lease. */
  readonly ackWaitSeconds: number
}

const consumer = <Body>(it: Consumer<Body>): Consumer<Body> => it

export const fanOutWork = consumer({
  durable: 'audience-fan-out',
  stream: 'WORK',
  subject: 'work.fan-out',
  body: FanOutPointer,
  maxAckPending: 1_000,
  ackWaitSeconds: 30,
})

/** The pages of large sends after the first one have a consumer of their own: however many are under way, the first page of another send is cut at once. */
export const bulkFanOutWork = consumer({
  durable: 'audience-fan-out-bulk',
  stream: 'WORK',
  subject: 'work.fan-out.bulk',
  body: FanOutPointer,
  maxAckPending: 1_000,
  ackWaitSeconds: 30,
})

/** One durable per platform and lane, so that neither a slow provider nor a large send delays other sends. */
export const pushWork = everyLane.map(({ platform, lane }) => ({
  platform,
  lane,
  ...consumer({
    durable: `dispatcher-${platform}-${lane}`,
    stream: 'WORK',
    subject: `work.push.${platform}.${lane}`,
    body: BatchPointers,
    maxAckPending: 1_000,
    ackWaitSeconds: 30,
  }),
}))

export const announcements = consumer({
  durable: 'webhooks-collect',
  stream: 'EVENTS',
  subject: 'event.>',
  body: Announcement,
  maxAckPending: 500,
  ackWaitSeconds: 30,
})

export const consumers: readonly Consumer<unknown>[] = [fanOutWork, bulkFanOutWork, ...pushWork, announcements]

/** Subjects of announcements, by what happened. */
export const eventSubjects = {
  pushSettled: 'event.push.settled',
  pushEngaged: 'event.push.engaged',
  campaignCompleted: 'event.campaign.completed',
  subscriptionInvalidated: 'event.subscription.invalidated',
} as const

/**
 * A failed message comes back after these milliseconds; from its fourth failure on the last number counts. They are short on purpose: a wait over 5 s is
 * a row with a due time, never a nak (delayed naks fill `maxAckPending` and stall the lane).
 */
export const comeBackAfterMs = [250, 500, 1_000, 2_000] as const

/**
 * The most pointers at the work of one app that are on a lane at once. Its further work waits as rows, which are taken with apps taking turns: a lane
 * is first come, first served, so all that is in it comes before the work of other apps. 64 pointers keep a lone app at its full rate.
 */
export const pointedAtOnce = 64

/**
 * A row that no process has taken is pointed at again after 5, 10, 15, 15 … s, which repairs a lost NATS store and does not flood a slow lane. The queries
 * that point again wait `least(stepSeconds * (pointer_no + 2), mostSeconds)`, where `pointer_no` is the number before it is raised.
 */
export const sweepAgain = { stepSeconds: 5, mostSeconds: 15 } as const

/** The wait before try n + 1 at a provider (spec: providers/tries): 1, 4, 16, 60 s, times 1 to 1.25. */
export const providerRetrySeconds = [1, 4, 16, 60] as const
