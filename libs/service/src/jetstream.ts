import { setTimeout as sleep } from 'node:timers/promises'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { comeBackAfterMs, type Consumer } from '@herald/contracts/topology'
import { type Consumer as JetStreamConsumer, type ConsumerMessages, type JetStreamManager, type JsMsg } from '@nats-io/jetstream'
import { wireVersion } from '@herald/contracts/wire-versions'
import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { watchQueue } from './canary.ts'
import { failsEverybody, type DatabaseWatch } from './health.ts'
import type { Link } from './link.ts'
import { idsOf } from './log.ts'
import { brokenContracts } from './broken-contracts.ts'
import { makeTopology } from './make-topology.ts'
import { isDeleted, isMissing, openQueueStore, streamOf } from './queue-store.ts'
import type { Service } from './run.ts'
import { scope } from './scrape.ts'
import { inSpan, tracedHeaders } from './trace.ts'

export type ConsumeOptions = {
  /** This process works on at most this many messages at once. It asks NATS for no more, so that other processes can take the others. */
  atOnce: number
}

type Streams = {
  /** Makes the streams and consumers that are missing, or sets them back, as the owner of streams does. */
  make(): Promise<void>
  /** Ends all pulls, because the connection was lost. */
  lost(): void
  /** Lets pulls begin again a little later, and looks whether NATS still has what it stored. */
  back(): Promise<void>
  /** Calls the handler when NATS has lost what it stored. */
  onLost(handler: () => void): void
  publish(subject: string, body: Uint8Array, id: string): Promise<void>
  consume<Body>(consumer: Consumer<Body>, options: ConsumeOptions, handler: (body: Body) => Promise<void>): void
}

const publishLimitMs = 2_000
/**
 * A message whose work fails is delivered up to this many times, in about a minute: the service that stores its row points at it again. While the
 * database is away, it comes back without end.
 */
const mostDeliveries = 30
/** A message of another version is delivered up to this many times, so that another process may take it, and then terminated. */
const mostDeliveriesOfOthers = 5
/** The pause between two deliveries of a message of another version. */
const otherVersionAgainMs = 1_000
/**
 * One pull (a request for messages) waits at most this long. The server sends a heartbeat every `heartbeatMs` while a pull waits, so two missing
 * heartbeats show that the server has forgotten the pull.
 */
const pullMs = 10_000
const heartbeatMs = 1_000
/**
 * After a reconnect, pulls begin again this much later, at a random moment of the given length: processes that lost the same server do not all ask
 * the next one at once, and its election has begun.
 */
const backAfterMs = { least: 200, jitter: 1_000 }

export type StreamsOptions = {
  watch: DatabaseWatch | undefined
  link: Link
  /** Asks the one service that may make streams and consumers for the missing ones. Undefined in that service itself. */
  askForStreams: (() => Promise<void>) | undefined
  /** How many copies that service gives each stream. */
  replicas: number | undefined
}

/**
 * Opens streams and durable consumers as libs/contracts/topology.ts says, and returns at once: what is missing is made in the background, however long
 * NATS needs to take it (queue-store.ts). The sweeps publish lost messages again.
 */
export function openStreams(
  service: Service,
  connection: NatsConnection,
  manager: JetStreamManager,
  { watch, link, askForStreams, replicas }: StreamsOptions,
): Streams {
  const { log } = service
  const client = manager.jetstream()
  const store = openQueueStore(service, manager, {
    link,
    owns: !askForStreams,
    makeStreams: askForStreams ?? (() => makeTopology(manager, { replicas })),
  })
  void store.look()

  let stopped = false
  let pullsFrom = 0
  const pulls = new Set<ConsumerMessages>()
  const loops: Promise<void>[] = []
  service.beforeStop('consumers', async () => {
    stopped = true
    if (link.up) await Promise.race([Promise.allSettled([...pulls].map(drain)), pause(3_000)])
    for (const pull of pulls) pull.stop()
  })
  service.onStop('consumers', async () => {
    await Promise.race([Promise.all(loops), sleep(8_500, undefined, { ref: false })])
  })

  const messages = service.metrics.counter('herald_messages_total', 'Stored messages that a consumer handled, by result.', [
    'durable',
    'result',
  ])
  const redelivered = service.metrics.counter('herald_messages_redelivered_total', 'Stored messages that came again.', ['durable'])
  const consumed: Consumer<unknown>[] = []
  countWaiting(service, manager, consumed)

  const publishOnce = async (subject: string, body: Uint8Array, id?: string) => {
    const traced = tracedHeaders()
    const startedAt = performance.now()
    // Right after a start the streams may not have been made yet.
    await store.opened(publishLimitMs / 2)
    const { stream, seq } = await link.ask(publishLimitMs - (performance.now() - startedAt), (timeout) =>
      client.publish(subject, body, { timeout, ...(id ? { msgID: id } : {}), ...traced }),
    )
    store.answered(stream, seq)
    alarm.published(subject, true)
  }
  const publishFailed = (subject: string, error: unknown) => {
    if (!link.up || connection.isClosed()) return
    store.failed(streamOf(subject), error, 'look')
    alarm.published(subject, false)
  }
  const alarm = watchQueue(service, (subject, body) => publishOnce(subject, body).catch((error: unknown) => publishFailed(subject, error)))

  const unopened = new Set<string>()
  let needsQueue = false
  const consume = <Body>(consumer: Consumer<Body>, { atOnce }: ConsumeOptions, handler: (body: Body) => Promise<void>) => {
    const { durable, stream } = consumer
    if (!needsQueue) service.needs('queue', () => unopened.size === 0)
    needsQueue = true
    unopened.add(durable)
    const ended = {
      acked: messages.labels(durable, 'acked'),
      cameBack: messages.labels(durable, 'came_back'),
      terminated: messages.labels(durable, 'terminated'),
      otherVersion: messages.labels(durable, 'other_version'),
    }
    const again = redelivered.labels(durable)
    consumed.push(consumer)
    const inWork = new Set<Promise<void>>()
    const broken = brokenContracts(service, 'a message broke its contract')
    const others = brokenContracts(
      service,
      'a message is of another version: the service that wrote it or this one is older and must be replaced',
    )
    let reader: JetStreamConsumer | undefined
    const handle = async (message: JsMsg) => {
      if (message.redelivered) again.inc()
      const body = parse(message)
      const version = versionOf(body)
      const ours = wireVersion(message.subject)
      if (version !== ours) {
        // Another process of this service may understand the message. If none does, the service that stores its row points at the row again.
        others.note({ consumer: durable, theirs: String(version), ours: String(ours) }, body, [])
        if (message.info.deliveryCount < mostDeliveriesOfOthers) message.nak(otherVersionAgainMs)
        else message.term('a version that nobody here understands')
        ended.otherVersion.inc()
        return
      }
      const parsed = consumer.body.safeParse(body)
      if (!parsed.success) {
        broken.note({ consumer: durable }, body, parsed.error.issues)
        message.term('broken contract')
        ended.terminated.inc()
        return
      }
      const work = () => handler(parsed.data)
      const handled = async () => {
        try {
          await (watch ? watch.guard(work) : work())
          message.ack()
          ended.acked.inc()
        } catch (error) {
          const deliveries = message.info.deliveryCount
          if (deliveries < mostDeliveries || failsEverybody(error) || Fault.is(error, 'database_unavailable')) {
            log.warn({ consumer: durable, ...idsOf(body), deliveries, err: error }, 'a message comes back')
            message.nak(comeBackAfterMs[Math.min(deliveries, comeBackAfterMs.length) - 1] ?? 2_000)
            ended.cameBack.inc()
          } else {
            log.warn(
              { consumer: durable, ...idsOf(body), deliveries, err: error },
              'a message failed too often: its row is pointed at again',
            )
            message.term('failed too often')
            ended.terminated.inc()
          }
          throw error
        }
      }
      await inSpan('consume', durable, message.headers?.get('traceparent'), handled).catch(() => undefined)
    }
    const pullOnce = async () => {
      if (watch && !watch.up) await Promise.race([watch.whenUp(), pause(500)])
      const restMs = pullsFrom - performance.now()
      if (restMs > 0) await pause(Math.min(restMs, 250))
      if (stopped || (watch && !watch.up) || pullsFrom > performance.now()) return
      reader ??= await client.consumers.get(stream, durable)
      unopened.delete(durable)
      const pull = await reader.fetch({ max_messages: atOnce - inWork.size, expires: pullMs, idle_heartbeat: heartbeatMs })
      pulls.add(pull)
      if (stopped) pull.stop()
      try {
        for await (const message of pull) {
          const work: Promise<void> = handle(message).finally(() => inWork.delete(work))
          inWork.add(work)
        }
      } finally {
        pulls.delete(pull)
      }
      if (link.up) store.answered(stream)
    }
    const loop = async () => {
      while (!stopped) {
        if (inWork.size >= atOnce) {
          await Promise.race(inWork)
          continue
        }
        try {
          await pullOnce()
        } catch (error) {
          if (stopped) break
          reader = undefined
          log.debug({ consumer: durable, message: String(error) }, 'pull failed')
          if (isMissing(error)) await store.make().catch((failed: unknown) => log.debug({ err: failed }, 'streams could not be made yet'))
          if (isMissing(error) || isDeleted(error)) void store.look()
          else store.failed(stream, error)
          await pause(250)
        }
      }
      await Promise.allSettled(inWork)
    }
    loops.push(loop())
  }

  return {
    make: () => store.make(),
    lost() {
      pullsFrom = Number.POSITIVE_INFINITY
      for (const pull of pulls) pull.stop()
    },
    async back() {
      pullsFrom = performance.now() + backAfterMs.least + Math.random() * backAfterMs.jitter
      const mine = pullsFrom
      await pause(mine - performance.now())
      if (pullsFrom === mine) await store.look()
    },
    onLost: (handler) => store.onLost(handler),
    consume,
    async publish(subject, body, id) {
      try {
        await inSpan('publish', subject, undefined, () => publishOnce(subject, body, id))
      } catch (error) {
        // Nothing is lost with the message: the sweep of its committed row publishes it again, so the work comes seconds later.
        publishFailed(subject, error)
        throw Object.assign(queueUnavailable(), { cause: error })
      }
    },
  }
}

/**
 * Ends a pull after every message on its way has come, because a dropped one waits for its ack wait. The server sends these before it answers. `sub`
 * is not in the public type.
 */
async function drain(pull: ConsumerMessages): Promise<void> {
  await (pull as ConsumerMessages & { sub?: Subscription }).sub?.drain()
}

/** A scrape waits at most this long for JetStream to say how many messages wait in the consumers. */
const askLimitMs = 1_000
/** JetStream is asked again at the first scrape after this time. */
const askAgainMs = 5_000

/** Measures for scrapes how many messages wait in the consumers that this process reads. When JetStream does not answer, the last numbers stay. */
function countWaiting(service: Service, manager: JetStreamManager, consumed: readonly Consumer<unknown>[]): void {
  let askedAt = -askAgainMs
  const unacked = service.metrics.gauge('herald_messages_unacked', 'Stored messages delivered to any process and not yet acked.', {
    labelNames: ['scope', 'durable'],
  })
  service.metrics.gauge('herald_messages_pending', 'Stored messages not yet delivered to any process.', {
    labelNames: ['scope', 'durable'],
    async collect() {
      if (performance.now() - askedAt < askAgainMs) return
      askedAt = performance.now()
      const asked = consumed.map(async ({ stream, durable }) => {
        const { num_pending, num_ack_pending } = await manager.consumers.info(stream, durable)
        this.labels(scope, durable).set(num_pending)
        unacked.labels(scope, durable).set(num_ack_pending)
      })
      await Promise.race([Promise.allSettled(asked), pause(askLimitMs)])
    },
  })
}

function parse(message: JsMsg): unknown {
  try {
    return message.json()
  } catch {
    return undefined
  }
}

/** Gives the version of a stored message. A message of version 1 does not name its version. */
const versionOf = (body: unknown): unknown => (typeof body === 'object' && body !== null && 'v' in body ? body.v : 1)

const pause = (ms: number) => sleep(ms)
