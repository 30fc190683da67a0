import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { comeBackAfterMs, type Consumer } from '@herald/contracts/topology'
import {
  jetstreamManager,
  JetStreamApiError,
  type Consumer as JetStreamConsumer,
  type ConsumerMessages,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream'
import { wireVersion } from '@herald/contracts/wire-versions'
import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { watchQueue } from './canary.ts'
import { failsEverybody, type DatabaseWatch } from './health.ts'
import type { Link } from './link.ts'
import { idsOf } from './log.ts'
import { brokenContracts } from './broken-contracts.ts'
import { hasStreams, makeTopology } from './make-topology.ts'
import type { Service } from './run.ts'
import { inSpan, tracedHeaders } from './trace.ts'

export type ConsumeOptions = {
  /** This process works on at most this many messages at once. It asks NATS for no more, so that other processes can take the others. */
  slots: number
}

type Streams = {
  /** Makes the streams and consumers that are missing, or asks the service that may make them. */
  make(): Promise<void>
  /**
   * Makes the streams and consumers that a server may have lost while it was away, and pulls anew at once. Without that, a pull that
   * the server has forgotten would be noticed after 2 s, by missing heartbeats.
   */
  restore(): Promise<void>
  publish(subject: string, body: Uint8Array, id: string): Promise<void>
  consume<Body>(consumer: Consumer<Body>, options: ConsumeOptions, handler: (body: Body) => Promise<void>): Promise<void>
}

const publishLimitMs = 2_000
/**
 * A message whose work fails is delivered up to this many times, in about a minute, and then terminated: the service that stores its row points at the
 * row again. While the database is away, a message comes back however long that lasts.
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

export type StreamsOptions = {
  watch: DatabaseWatch | undefined
  link: Link
  /** Asks the one service that may make streams and consumers for the missing ones. Undefined in that service itself. */
  askForStreams: (() => Promise<void>) | undefined
}

/**
 * Opens streams and durable consumers as libs/contracts/topology.ts says. Missing ones are made at the start, when NATS is back (`restore`), and
 * when a publish or a pull finds that the server has lost its store. The sweeps publish the lost messages again.
 */
export async function openStreams(
  service: Service,
  connection: NatsConnection,
  { watch, link, askForStreams }: StreamsOptions,
): Promise<Streams> {
  const { log } = service
  const manager = await untilReady(connection, service)
  const client = manager.jetstream()
  let making: Promise<void> | undefined
  const make = () => (making ??= (askForStreams?.() ?? makeTopology(manager)).finally(() => (making = undefined)))
  if (!askForStreams || !(await hasStreams(manager))) await untilMade(make, service)

  let stopped = false
  const pulls = new Set<ConsumerMessages>()
  const loops: Promise<void>[] = []
  service.beforeStop('consumers', async () => {
    stopped = true
    if (link.up) await Promise.race([Promise.allSettled([...pulls].map(drain)), pause(3_000)])
    for (const pull of pulls) pull.stop()
  })
  service.onStop('consumers', async () => {
    await Promise.race([Promise.all(loops), new Promise((resolve) => setTimeout(resolve, 8_500).unref())])
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
    await link.ask(publishLimitMs, (timeout) => client.publish(subject, body, { timeout, ...(id ? { msgID: id } : {}), ...traced }))
  }
  const alarm = watchQueue(service, (subject, body) =>
    publishOnce(subject, body).then(
      () => alarm.published(subject, true),
      (error: unknown) => publishFailed(subject, error),
    ),
  )
  const publishFailed = (subject: string, error: unknown) => {
    if (isMissing(error)) void make().catch(() => undefined)
    else if (link.up && !connection.isClosed()) alarm.published(subject, false)
  }

  const consume = async <Body>(consumer: Consumer<Body>, { slots }: ConsumeOptions, handler: (body: Body) => Promise<void>) => {
    const { durable } = consumer
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
      if (stopped || (watch && !watch.up)) return
      reader ??= await client.consumers.get(consumer.stream, consumer.durable)
      const pull = await reader.fetch({ max_messages: slots - inWork.size, expires: pullMs, idle_heartbeat: heartbeatMs })
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
    }
    const loop = async () => {
      while (!stopped) {
        if (inWork.size >= slots) {
          await Promise.race(inWork)
          continue
        }
        try {
          await pullOnce()
        } catch (error) {
          if (stopped) break
          reader = undefined
          if (isMissing(error)) await make().catch(() => undefined)
          log.warn({ consumer: consumer.durable, message: String(error) }, 'pull failed')
          await pause(250)
        }
      }
      await Promise.allSettled(inWork)
    }
    loops.push(loop())
  }

  return {
    make,
    async restore() {
      const forgotten = [...pulls]
      if (!askForStreams || !(await hasStreams(manager))) {
        await make().catch((error: unknown) => {
          log.debug({ err: error }, 'streams are not there yet')
          if (askForStreams) return
          // A server that has just come back may have no JetStream yet. The gateway goes on trying for a minute, because all other services rely on
          // it to make their streams.
          void untilMade(make, service, () => stopped).catch((failed: unknown) => log.error({ err: failed }, 'streams could not be made'))
        })
      }
      for (const pull of forgotten) pull.stop()
    },
    consume,
    async publish(subject, body, id) {
      try {
        await inSpan('publish', subject, undefined, () => publishOnce(subject, body, id))
        alarm.published(subject, true)
      } catch (error) {
        // Nothing is lost with the message: the sweep of its committed row publishes it again, so the work comes seconds later.
        publishFailed(subject, error)
        throw Object.assign(queueUnavailable(), { cause: error })
      }
    },
  }
}

/**
 * Ends a pull after it has received every message that was on its way, because a message that is dropped unread is delivered to another process only
 * after its ack wait. First this process tells the server that it no longer listens, so the server sends further messages to other processes; what
 * the server has sent already arrives before its answer. The library can drain only a whole connection, and `sub` is not in its public type.
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
    labelNames: ['durable'],
  })
  service.metrics.gauge('herald_messages_pending', 'Stored messages not yet delivered to any process.', {
    labelNames: ['durable'],
    async collect() {
      if (performance.now() - askedAt < askAgainMs) return
      askedAt = performance.now()
      const asked = consumed.map(async ({ stream, durable }) => {
        const { num_pending, num_ack_pending } = await manager.consumers.info(stream, durable)
        this.labels(durable).set(num_pending)
        unacked.labels(durable).set(num_ack_pending)
      })
      await Promise.race([Promise.allSettled(asked), pause(askLimitMs)])
    },
  })
}

async function untilReady(connection: NatsConnection, service: Service): Promise<JetStreamManager> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await jetstreamManager(connection)
    } catch (error) {
      if (attempt === 1) service.log.warn({ message: String(error) }, 'JetStream is not ready, waiting')
      if (attempt >= 120)
        throw new Error('JetStream did not become ready within a minute: is nats-server started with -js?', { cause: error })
      await pause(500)
    }
  }
}

/** Tries twice a second to make streams and consumers, and throws after a minute. */
async function untilMade(make: () => Promise<void>, { log }: Service, isStopped = () => false): Promise<void> {
  for (let attempt = 1; !isStopped(); attempt += 1) {
    try {
      return await make()
    } catch (error) {
      if (attempt === 1) log.warn({ message: String(error) }, 'streams are not there yet, waiting')
      if (attempt >= 120)
        throw new Error('Streams and consumers were not there within a minute: does a gateway run, and may it make them?', { cause: error })
      await pause(500)
    }
  }
}

/** Says whether an error means that the server has no such stream or consumer, or that its JetStream is not up yet ("no responders"). */
const isMissing = (error: unknown): boolean =>
  (error instanceof JetStreamApiError && [10014, 10059].includes(error.code)) || /no responders|not found|no stream/i.test(String(error))

function parse(message: JsMsg): unknown {
  try {
    return message.json()
  } catch {
    return undefined
  }
}

/** Gives the version of a stored message. A message of version 1 does not name its version. */
const versionOf = (body: unknown): unknown => (typeof body === 'object' && body !== null && 'v' in body ? body.v : 1)

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
