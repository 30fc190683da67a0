import type { AppName, StoredMessage } from './call.ts'
import { BatchPointers, batchSubject, everyLane, FanOutPointer } from './batch.ts'
import { Announcement } from './event.ts'

const fanOut = 'work.fan-out'
const bulkFanOut = 'work.fan-out.bulk'
const workSubjects = [fanOut, bulkFanOut, ...everyLane.map(({ platform, lane }) => batchSubject(platform, lane))]

/**
 * The streams of NATS. A message of WORK has one reader and is deleted when it is handled. A message of EVENTS may have several readers and is stored
 * for a day, or until newer messages need its space.
 */
export const streams = {
  /**
   * WORK has only pointers of about 150 bytes: 256 MB hold 1.5 million. A full stream refuses one, and the sweep points again. It has only subjects
   * with a reader: nats-server sends answers to any subject that a request names.
   */
  WORK: { subjects: workSubjects, retention: 'workqueue', maxAgeDays: 0, maxBytes: 256_000_000, discard: 'new' },
  EVENTS: { subjects: ['event.>'], retention: 'limits', maxAgeDays: 1, maxBytes: 1_000_000_000, discard: 'old' },
  /** Here each service publishes a message that nobody reads, to find out whether NATS can store anything (canary.ts). The newest of each is kept. */
  CANARY: { subjects: ['canary.>'], retention: 'limits', maxAgeDays: 1, maxBytes: 1_000_000, discard: 'old', maxPerSubject: 1 },
} as const
export type StreamName = keyof typeof streams

/**
 * Raised with every change of a stream or a consumer, and stored on each. A process with a lower version does not change them, so an old process does
 * not undo an upgrade.
 */
export const topologyVersion = 2

/**
 * The only service that makes streams and consumers. The gateway has every secret of the installation in any case, and the right to make streams
 * reveals them all.
 */
export const streamsOwner: AppName = 'gateway'

export const canarySubject = (app: AppName): string => `canary.${app}`

/** NATS drops a message whose Nats-Msg-Id it has seen within this many seconds. This saves repeated work; no guarantee depends on it. */
export const duplicateWindowSeconds = 120

export type Consumer<Body> = StoredMessage<Body> & {
  readonly durable: string
  readonly stream: StreamName
  readonly subject: string
  /**
   * At most this many messages are with processes of the service that have not acked them yet. The number is for all processes together, and limits
   * what a stuck reader can hold.
   */
  readonly maxAckPending: number
  /** A message whose reader died is delivered again after this many seconds. Readers ack within seconds: long work is a row with a lease. */
  readonly ackWaitSeconds: number
}

const consumer = <Body>(it: Consumer<Body>): Consumer<Body> => it

export const fanOutWork = consumer({
  durable: 'audience-fan-out',
  stream: 'WORK',
  subject: fanOut,
  body: FanOutPointer,
  maxAckPending: 1_000,
  ackWaitSeconds: 30,
})

/**
 * Reads the pages of large sends after the first page. It is a consumer of its own, so that the pages of many large sends do not delay the first page
 * of another send.
 */
export const bulkFanOutWork = consumer({
  durable: 'audience-fan-out-bulk',
  stream: 'WORK',
  subject: bulkFanOut,
  body: FanOutPointer,
  maxAckPending: 1_000,
  ackWaitSeconds: 30,
})

/** A durable consumer for each platform and lane, so that neither a slow provider nor a large send delays other sends. */
export const pushWork = everyLane.map(({ platform, lane }) => ({
  platform,
  lane,
  ...consumer({
    durable: `dispatcher-${platform}-${lane}`,
    stream: 'WORK',
    subject: batchSubject(platform, lane),
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

/** The subjects of announcements, by what happened. */
export const eventSubjects = {
  pushSettled: 'event.push.settled',
  pushEngaged: 'event.push.engaged',
  campaignCompleted: 'event.campaign.completed',
  subscriptionInvalidated: 'event.subscription.invalidated',
} as const

/**
 * Milliseconds before a message is delivered again after its handler's first failure, second and so on; then the last. A longer wait than 5 s is a
 * row: a delayed nak counts in `maxAckPending` and stalls the lane.
 */
export const comeBackAfterMs = [250, 500, 1_000, 2_000] as const

/**
 * An app has at most this many pointers on a lane at once, because they go before other apps' work. Its further work waits as rows. 64 are enough for
 * an app alone to reach its full rate.
 */
export const pointedAtOnce = 64

/**
 * Once the sweep has pointed at a row, the row is due again in `least(stepSeconds * (pointer_no + 2), mostSeconds)`: 10 s, then 15 s. `pointer_no`
 * counts the sweep's pointers before. After the writer's own pointer it is 5 s.
 */
export const sweepAgain = { stepSeconds: 5, mostSeconds: 15 } as const

/**
 * The waits in seconds after the first, second, third and fourth attempt at a provider (spec: providers/tries). Each is multiplied by a random factor
 * of 1 to 1.25.
 */
export const providerRetrySeconds = [1, 4, 16, 60] as const
