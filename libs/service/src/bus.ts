import { wireSubject, type Broadcast, type Call } from '@herald/contracts/call'
import { makeStreams } from '@herald/contracts/calls/gateway'
import { databaseUnavailable, Fault, faultStatus, queueUnavailable } from '@herald/contracts/fault'
import { inboxOf, isInbox, natsUser } from '@herald/contracts/grants'
import { streamsOwner, type Consumer } from '@herald/contracts/topology'
import { wireVersion } from '@herald/contracts/wire-versions'
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
import { isDatabaseAway, isDatabaseBusy, type DatabaseWatch } from './health.ts'
import { openStreams, type ConsumeOptions } from './jetstream.ts'
import { openLink, type Link } from './link.ts'
import { idsOf } from './log.ts'
import { forRequest } from './request-id.ts'
import type { Service } from './run.ts'
import { inSpan } from './trace.ts'
import { turnEnd } from './turn-end.ts'
import { openVersions } from './versions.ts'

/** Calls that a process answers at once, by subject. Above it the caller is answered queue_unavailable, so that no pile grows. */
const callsInWork = 2_000
/** A longer id was not made by a gateway. */
const longestRequestId = 128
const requestIdOf = (given = ''): string | undefined => (given.length > longestRequestId ? undefined : given)

/** Calls, stored messages and broadcasts of one process, over one connection. */
export type Bus = {
  /** Whether NATS is there at this moment. */
  readonly up: boolean
  /** Calls another app and gives its answer. A Fault that the other app answers is thrown here; without an answer in time it is queue_unavailable. */
  call<Request, Answer>(contract: Call<Request, Answer>, request: Request): Promise<Answer>
  /** Answers calls, in a queue group of the app. While the database is away every call is answered database_unavailable at once. */
  answer<Request, Answer>(contract: Call<Request, Answer>, handler: (request: Request) => Promise<Answer>): void
  /** Stores a message; resolves when JetStream has it. `id` is its Nats-Msg-Id: the ids in it and the pointer number of its row. */
  publish(subject: string, body: unknown, id: string): Promise<void>
  /** Reads a durable consumer. When the handler returns the message is acked; when it throws the message comes back shortly. A body that breaks its contract is terminated. */
  consume<Body>(consumer: Consumer<Body>, options: ConsumeOptions, handler: (body: Body) => Promise<void>): Promise<void>
  /** Tells every process that listens now; the message is not stored. */
  broadcast<Body>(contract: Broadcast<Body>, body: Body): void
  listen<Body>(contract: Broadcast<Body>, handler: (body: Body) => void): void
  /** Calls the handler when NATS was away and is back: this process has missed the broadcasts in between. */
  onReconnect(handler: () => void): void
}

/** Without a password this process connects without a user, which a NATS server without users allows. */
export type BusConfig = { NATS_URL: string; NATS_USER?: string | undefined; NATS_PASSWORD?: string | undefined }

/** Opens the bus: connects (waiting for the server), makes streams and consumers, and closes it all when the service stops. */
export async function openBus(service: Service<BusConfig>, watch?: DatabaseWatch): Promise<Bus> {
  const { log } = service
  const { NATS_USER, NATS_PASSWORD } = service.config
  const options: NodeConnectionOptions = {
    servers: service.config.NATS_URL,
    ...(NATS_PASSWORD && { user: NATS_USER || natsUser(service.name), pass: NATS_PASSWORD }),
    name: service.name,
    inboxPrefix: inboxOf(service.name),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    timeout: 5_000,
    pingInterval: 2_000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
    // Without this the client makes two Error objects for each stored message, to have a stack for a failure that hardly ever comes.
    noAsyncTraces: true,
  }
  const connection = await connect(options).catch((error: unknown) => {
    // From here on the client keeps trying and logs nothing.
    log.warn({ message: String(error) }, 'NATS is not there, or does not let this process in (NATS_URL, NATS_USER, NATS_PASSWORD); waiting')
    return connect({ ...options, waitOnFirstConnect: true })
  })
  const link = openLink()
  const versions = openVersions(service, connection)
  const returns: Returns = { restore: () => Promise.resolve(), handlers: [] }
  const ask = openAsk(service, connection, link, versions)
  void followStatus(connection, service, link, ask, returns)

  const inWork = new Set<Promise<void>>()
  const answering: Subscription[] = []
  service.onStop('bus', async () => {
    // First no more calls come in, then those that came are answered, and only then the connection closes. A server that is away is not waited for.
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
  const streams = await openStreams(service, connection, { watch, link, askForStreams: isOwner ? undefined : askForStreams })
  returns.restore = () => streams.restore()

  type Guard = <Answer>(work: () => Promise<Answer>) => Promise<Answer>
  const answerWith = <Request, Answer>(contract: Call<Request, Answer>, handler: (request: Request) => Promise<Answer>, guard: Guard) => {
    if (!contract.subject.startsWith(`rpc.${service.name}.`)) throw new Error(`${service.name} may not answer ${contract.subject}`)
    const broken = brokenContracts(service, 'a call broke its contract')
    const answerOne = async (message: Msg) => {
      const body = decode(message.data)
      const parsed = contract.request.safeParse(body)
      if (!parsed.success) {
        broken.note({ call: contract.subject }, body, parsed.error.issues)
        reply(message, { fault: { code: 'internal', message: 'Internal error.' } })
        return
      }
      if (inWork.size >= callsInWork) {
        reply(message, { fault: asFault(queueUnavailable()) })
        return
      }
      const { losses } = link
      const answered = async () => {
        try {
          const answer = await guard(() => handler(parsed.data))
          await turnEnd()
          if (link.losses === losses) reply(message, { answer })
        } catch (error) {
          const fault = faultOf(error, { call: contract.subject, ...idsOf(body) }, service)
          if (link.losses === losses) reply(message, { fault: asFault(fault) })
          throw fault
        }
      }
      await inSpan('answer', contract.subject, message.headers?.get('traceparent'), answered).catch(() => undefined)
    }
    versions.answers(contract.subject)
    const subscription = connection.subscribe(wireSubject(contract), {
      queue: service.name,
      callback: (error, message) => {
        if (error) return log.error({ err: error }, 'subscription failed')
        // A stored message that an intruder had delivered here is no call, and an answer may go to no subject where another app listens for calls.
        if (!isInbox(message.reply ?? '')) return broken.note({ call: contract.subject }, undefined, [{ path: ['reply'] }])
        const requestId = requestIdOf(message.headers?.get(requestIdHeader))
        const work: Promise<void> = forRequest(requestId, () => answerOne(message)).finally(() => inWork.delete(work))
        inWork.add(work)
      },
    })
    answering.push(subscription)
  }
  if (isOwner)
    answerWith(
      makeStreams,
      () => streams.make().then(() => ({})),
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
    onReconnect: (handler) => void returns.handlers.push(handler),
    broadcast: (contract, body) => connection.publish(contract.subject, encode(body, contract.subject)),
    listen(contract, handler) {
      const broken = brokenContracts(service, 'a broadcast broke its contract')
      connection.subscribe(contract.subject, {
        callback: (error, message) => {
          if (error) return log.error({ err: error }, 'subscription failed')
          // A broadcast asks for no answer. A message that asks for one is a stored message that an intruder had delivered here.
          const body = message.reply ? undefined : decode(message.data)
          const parsed = contract.body.safeParse(body)
          if (parsed.success) handler(parsed.data)
          else broken.note({ subject: contract.subject }, body, parsed.error.issues)
        },
      })
    },
  }
}

/** A stored message names its version (wire-versions.ts) from version 2 on. */
function versioned(body: unknown, subject: string): unknown {
  const version = wireVersion(subject)
  return version === 1 ? body : { ...Object(body), v: version }
}

function reply(message: Msg, wire: Wire<unknown>): void {
  message.respond(encode(wire, message.subject))
}

const asFault = ({ code, message, details, retryAfterSeconds }: Fault) => ({ code, message, details, retryAfterSeconds })

/**
 * What a caller may see of an error. A Fault stays as it is, a database that is away is `database_unavailable`, and one that is too busy is
 * `queue_unavailable`. Any other error is our mistake and becomes `internal`. The last two are logged once, here.
 */
function faultOf(error: unknown, line: { call: string }, { log }: Service): Fault {
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

/** What happens when the connection is back: streams and consumers are restored, then the handlers are called. */
type Returns = { restore: () => Promise<void>; handlers: (() => void)[] }

async function followStatus(connection: NatsConnection, { log }: Service, link: Link, ask: Ask, returns: Returns): Promise<void> {
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
      // The client tries again every 0.3 s; this is logged once.
      isRefused = true
      log.error('NATS refuses the user or the password of this process (NATS_USER, NATS_PASSWORD)')
    }
    if (type === 'disconnect') {
      log.warn('NATS is away')
      link.became('lost')
    }
    if (type === 'reconnect') {
      isRefused = false
      log.info('NATS is back')
      link.became('back')
      void returns.restore().then(() => returns.handlers.forEach((handler) => handler()))
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
  metrics.gauge('herald_calls_in_work', 'Calls of other apps that this process is answering.', {
    collect() {
      this.set(inWork.size)
    },
  })
}

const within = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, ms).unref())])
