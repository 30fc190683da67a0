import { setTimeout as sleep } from 'node:timers/promises'
import { wireSubject, type Broadcast, type Call } from '@herald/contracts/call'
import { makeStreams } from '@herald/contracts/calls/gateway'
import { databaseUnavailable, Fault, faultStatus, queueUnavailable } from '@herald/contracts/fault'
import { inboxOf, isInbox, natsUser } from '@herald/contracts/grants'
import { streamsOwner, type Consumer } from '@herald/contracts/topology'
import { wireVersion } from '@herald/contracts/wire-versions'
import { jetstreamManager } from '@nats-io/jetstream'
import {
  AuthorizationError,
  connect,
  PermissionViolationError,
  type Msg,
  type NatsConnection,
  type NodeConnectionOptions,
  type Subscription,
} from '@nats-io/transport-node'
import { decode, encode, openAsk, requestIdHeader, type Ask, type Wire } from './ask.ts'
import { brokenContracts } from './broken-contracts.ts'
import { natsServers } from './config.ts'
import { isDatabaseAway, isDatabaseBusy, type DatabaseWatch } from './health.ts'
import { openStreams, type ConsumeOptions } from './jetstream.ts'
import { openLink, type Link } from './link.ts'
import { idsOf } from './log.ts'
import { forRequest } from './request-id.ts'
import type { Service } from './run.ts'
import { inSpan } from './trace.ts'
import { turnEnd } from './turn-end.ts'
import { openVersions } from './versions.ts'

/**
 * A process works on at most this many calls at the same time. The caller of a further call gets queue_unavailable, so that calls do not pile up.
 */
const callsInWork = 2_000
/** The longest request id, in characters. The gateway never makes a longer one, so a longer one is ignored. */
const longestRequestId = 128
const requestIdOf = (given = ''): string | undefined => (given.length > longestRequestId ? undefined : given)

/** The calls, stored messages and broadcasts of one process, over one connection to NATS. */
export type Bus = {
  /** Whether NATS is connected now. */
  readonly up: boolean
  /**
   * Calls another service and gives its answer. Throws the Fault that the other service answers, or queue_unavailable when no answer comes.
   */
  call<Request, Answer>(contract: Call<Request, Answer>, request: Request): Promise<Answer>
  /**
   * Answers calls, in the queue group of the service. While the database is away each call gets `database_unavailable` at once, unless the service
   * opened the bus without a database.
   */
  answer<Request, Answer>(contract: Call<Request, Answer>, handler: (request: Request) => Promise<Answer>): void
  /**
   * Stores a message in NATS, and resolves when JetStream has it. `id` is its Nats-Msg-Id, by which NATS drops a repeat: made of the ids and the
   * `pointer_no` of the row.
   */
  publish(subject: string, body: unknown, id: string): Promise<void>
  /**
   * Reads a durable consumer. A message is acknowledged when the handler returns, delivered again when it throws, terminated when it breaks its
   * contract, and left to other processes when of another version. Until the consumer is open, `/readyz` names `queue`.
   */
  consume<Body>(consumer: Consumer<Body>, options: ConsumeOptions, handler: (body: Body) => Promise<void>): void
  /** Sends a message to every process that listens now. The message is not stored. */
  broadcast<Body>(contract: Broadcast<Body>, body: Body): void
  listen<Body>(contract: Broadcast<Body>, handler: (body: Body) => void): void
  /** Calls the handler when NATS was away and is connected again, because this process has missed the broadcasts in between. */
  onReconnect(handler: () => void): void
  /** Calls the handler when NATS has lost what it stored, as it does without its disk or after `set-up queue --reset`. */
  onStoreLost(handler: () => void): void
}

/** The bus settings of a service. Without a password the process connects to NATS without a user, which a NATS server without users allows. */
export type BusConfig = {
  NATS_URL: string
  NATS_USER?: string | undefined
  NATS_PASSWORD?: string | undefined
  NATS_CA?: string | undefined
  NATS_CERT?: string | undefined
  NATS_KEY?: string | undefined
  NATS_REPLICAS?: number | undefined
}

/**
 * Opens the bus: waits for NATS and connects, and closes everything when the service stops. Streams and consumers are opened in the background:
 * without a quorum NATS answers calls, and a service that only calls can work.
 */
export async function openBus(service: Service<BusConfig>, watch?: DatabaseWatch): Promise<Bus> {
  const { log } = service
  const { NATS_USER, NATS_PASSWORD } = service.config
  const options: NodeConnectionOptions = {
    ...natsServers(service.config),
    ...(NATS_PASSWORD && { user: NATS_USER || natsUser(service.name), pass: NATS_PASSWORD }),
    name: service.name,
    inboxPrefix: inboxOf(service.name),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    timeout: 5_000,
    // A server that was cut off from the network is given up after 3 s. Until then each call fails after its own time limit.
    pingInterval: 1_000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
    // Without this setting the NATS client makes two Error objects for each stored message, to have a stack for a failure that hardly ever comes.
    noAsyncTraces: true,
  }
  const connection = await connect(options).catch((error: unknown) => {
    // From now on the NATS client tries to connect again and again, and logs nothing.
    log.warn({ message: String(error) }, 'NATS is not there, or does not let this process in (NATS_URL, NATS_USER, NATS_PASSWORD); waiting')
    return connect({ ...options, waitOnFirstConnect: true })
  })
  const link = openLink()
  const versions = openVersions(service, connection)
  const ask = openAsk(service, connection, link, versions)

  const inWork = new Set<Promise<void>>()
  const answering: Subscription[] = []
  const answeredHere: string[] = []
  service.onStop('bus', async () => {
    // First the process stops taking calls, then it answers the calls that have come, and at last it closes the connection. It waits for NATS only a
    // short time, because NATS may be away.
    for (const subject of answeredHere) service.local?.delete(subject)
    await within(1_000, Promise.allSettled(answering.map((subscription) => subscription.drain())))
    await Promise.allSettled(inWork)
    await within(2_000, connection.drain())
    await connection.close()
  })
  measureBus(service, link, inWork)
  if (connection.info?.auth_required !== true)
    log.warn('NATS lets everyone in: whoever reaches it can ask for provider tokens and device tokens (docs/operations.md, NATS)')
  const askForStreams = async () => void (await ask(makeStreams, {}))
  const isOwner = service.name === streamsOwner
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 3_000 })
  const streams = openStreams(service, connection, manager, {
    ...{ watch, link, replicas: service.config.NATS_REPLICAS },
    askForStreams: isOwner ? undefined : askForStreams,
  })
  const onceBack: (() => void)[] = []
  void followStatus(connection, service, ask, {
    lost() {
      link.became('lost')
      streams.lost()
    },
    back() {
      link.became('back')
      for (const handler of onceBack) handler()
      void streams.back()
    },
  })

  type Respond = (wire: Wire<unknown>) => Promise<void> | void
  type Guard = <Answer>(work: () => Promise<Answer>) => Promise<Answer>
  const answerWith = <Request, Answer>(contract: Call<Request, Answer>, handler: (request: Request) => Promise<Answer>, guard: Guard) => {
    if (!contract.subject.startsWith(`rpc.${service.name}.`)) throw new Error(`${service.name} may not answer ${contract.subject}`)
    const broken = brokenContracts(service, 'a call broke its contract')
    const answerOne = async (data: Uint8Array, traceparent: string | undefined, respond: Respond) => {
      const body = decode(data)
      const parsed = contract.request.safeParse(body)
      if (!parsed.success) {
        broken.note({ call: contract.subject }, body, parsed.error.issues)
        return respond({ fault: { code: 'internal', message: 'Internal error.' } })
      }
      if (inWork.size >= callsInWork) return respond({ fault: asFault(queueUnavailable()) })
      const answered = async () => {
        try {
          await respond({ answer: await guard(() => handler(parsed.data)) })
        } catch (error) {
          const fault = faultOf(error, { call: contract.subject, ...idsOf(body) }, service)
          await respond({ fault: asFault(fault) })
          throw fault
        }
      }
      await inSpan('answer', contract.subject, traceparent, answered).catch(() => undefined)
    }
    const begin = (work: () => Promise<void>): void => {
      const begun: Promise<void> = work().finally(() => inWork.delete(begun))
      inWork.add(begun)
    }
    versions.answers(contract.subject)
    const subject = wireSubject(contract)
    const subscription = connection.subscribe(subject, {
      queue: service.name,
      callback: (error, message) => {
        if (error) return log.error({ err: error }, 'subscription failed')
        // An intruder can make NATS deliver a stored message as a call, or name another service's subject for the answer. Neither call is answered.
        if (!isInbox(message.reply ?? '')) return broken.note({ call: contract.subject }, undefined, [{ path: ['reply'] }])
        const { losses } = link
        const respond = async (wire: Wire<unknown>) => {
          await turnEnd()
          if (link.losses === losses) reply(message, wire)
        }
        const requestId = requestIdOf(message.headers?.get(requestIdHeader))
        begin(() => forRequest(requestId, () => answerOne(message.data, message.headers?.get('traceparent'), respond)))
      },
    })
    answering.push(subscription)
    answeredHere.push(subject)
    service.local?.set(subject, (data) => {
      const { promise, resolve } = Promise.withResolvers<Uint8Array>()
      // The request and the trace of the caller are active here, so they need no headers.
      begin(() => answerOne(data, undefined, (wire) => resolve(encode(wire, subject))))
      return promise
    })
  }
  if (isOwner)
    answerWith(
      makeStreams,
      async () => {
        await streams.make().catch((error: unknown) => {
          throw Object.assign(queueUnavailable(), { cause: error })
        })
        return {}
      },
      (work) => work(),
    )

  return {
    get up() {
      return link.up
    },
    call: ask,

    answer: (contract, handler) => answerWith(contract, handler, watch ? (work) => watch.guard(work) : (work) => work()),

    publish: (subject, body, id) => streams.publish(subject, encode(versioned(body, subject), subject), id),
    consume: (consumer, options, handler) => streams.consume(consumer, options, handler),
    onReconnect: (handler) => void onceBack.push(handler),
    onStoreLost: (handler) => streams.onLost(handler),
    broadcast: (contract, body) => connection.publish(contract.subject, encode(body, contract.subject)),
    listen(contract, handler) {
      const broken = brokenContracts(service, 'a broadcast broke its contract')
      connection.subscribe(contract.subject, {
        callback: (error, message) => {
          if (error) return log.error({ err: error }, 'subscription failed')
          // A broadcast asks for no answer. A message that asks for one is a stored message that an intruder made NATS deliver here.
          const body = message.reply ? undefined : decode(message.data)
          const parsed = contract.body.safeParse(body)
          if (parsed.success) handler(parsed.data)
          else broken.note({ subject: contract.subject }, body, parsed.error.issues)
        },
      })
    },
  }
}

/** Adds the version (wire-versions.ts) to the body of a stored message. A body of version 1 does not name its version. */
function versioned(body: unknown, subject: string): unknown {
  const version = wireVersion(subject)
  return version === 1 ? body : { ...Object(body), v: version }
}

function reply(message: Msg, wire: Wire<unknown>): void {
  message.respond(encode(wire, message.subject))
}

const asFault = ({ code, message, details, retryAfterSeconds }: Fault) => ({ code, message, details, retryAfterSeconds })

/**
 * Makes the Fault that a caller gets for an error: a Fault stays, a database that is away gives `database_unavailable`, a busy one
 * `queue_unavailable`, anything else `internal`. A busy database and every `internal` are logged.
 */
export function faultOf(error: unknown, line: { call: string }, { log }: Pick<Service, 'log'>): Fault {
  if (error instanceof Fault && error.code in faultStatus) {
    if (error.code === 'internal') log.error({ ...line, err: error.cause ?? error }, 'call failed')
    return error
  }
  if (isDatabaseAway(error)) return databaseUnavailable()
  if (isDatabaseBusy(error)) {
    log.warn({ ...line, err: error }, 'the database is too busy for a call')
    return queueUnavailable()
  }
  log.error({ ...line, err: error }, 'call failed')
  return new Fault('internal', 'Internal error.')
}

/** What is done when the connection is lost, and when it is back. */
type Turns = { lost: () => void; back: () => void }

async function followStatus(connection: NatsConnection, { log }: Service, ask: Ask, { lost, back }: Turns): Promise<void> {
  let isRefused = false
  for await (const status of connection.status()) {
    const { type } = status
    if (type === 'error' && status.error instanceof PermissionViolationError) {
      const { operation, subject } = status.error
      if (operation === 'publish') ask.refused(subject)
      log.error(
        { operation, subject },
        'NATS does not allow this: its users are older or newer than this process (docs/operations.md, NATS)',
      )
    }
    if (type === 'error' && status.error instanceof AuthorizationError && !isRefused) {
      // The NATS client tries again several times a second, so the refusal is logged once until the process is connected.
      isRefused = true
      log.error('NATS refuses the user or the password of this process (NATS_USER, NATS_PASSWORD)')
    }
    if (type === 'disconnect') {
      log.warn('NATS is away')
      lost()
    }
    if (type === 'reconnect') {
      isRefused = false
      log.info('NATS is back')
      back()
    }
  }
}

function measureBus({ metrics, needs }: Service, link: Link, inWork: Set<unknown>): void {
  needs('nats', () => link.up)
  metrics.gauge('herald_nats_up', 'Whether this process is connected to NATS.', {
    collect() {
      this.set(link.up ? 1 : 0)
    },
  })
  metrics.gauge('herald_calls_in_work', 'Calls of other services that this process is answering.', {
    collect() {
      this.set(inWork.size)
    },
  })
}

const within = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work.catch(() => undefined), sleep(ms, undefined, { ref: false })])
