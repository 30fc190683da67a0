import { setTimeout as sleep } from 'node:timers/promises'
import { streams, type StreamName } from '@herald/contracts/topology'
import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream'
import type { Link } from './link.ts'
import type { Service } from './run.ts'

/** The pause between two looks at streams that do not answer or cannot be made, and before missing streams are made. */
const againMs = 500
const missingAgainMs = 50
/** Two looks that failed publishes ask for begin at least this far apart. */
const lookAtMostEveryMs = 1_000
/** An outage of a stream has ended when the stream answers and nothing has failed for this long: its consumers have leaders of their own. */
const quietMs = 5_000
/** A failure this long after the last one begins another outage, also when the stream was not used in between. */
const forgottenMs = 60_000
/** A look waits at most this long for the connection and the answer. */
const requestLimitMs = 3_000

export type QueueStore = {
  /** Resolves when all streams have been there once, or after `withinMs`. */
  opened(withinMs: number): Promise<void>
  /** Looks at the streams until they answer, has missing ones made, and calls the handlers of `onLost` when NATS has lost what it stored. */
  look(): Promise<void>
  /** Makes the streams and consumers that are missing and sets back the others, or has it done. */
  make(): Promise<void>
  /** Notes that a request to a stream failed while NATS was connected. With `look`, looks whether the stream is still there. */
  failed(stream: string, error: unknown, then?: 'look'): void
  /** Notes that a stream answered, and the sequence of a message that it stored. */
  answered(stream: string, sequence?: number): void
  /** Calls the handler when NATS has lost what it stored while this process ran. */
  onLost(handler: () => void): void
}

/** Says whether JetStream answered that it has no such stream (10059) or consumer (10014). */
export const isMissing = (error: unknown): boolean => error instanceof JetStreamApiError && [10014, 10059].includes(error.code)

/** Gives the stream that stores a subject. */
export const streamOf = (subject: string): string => {
  const [first] = subject.split('.')
  return Object.entries(streams).find(([, { subjects }]) => subjects.some((one) => one.startsWith(`${first}.`)))?.[0] ?? ''
}

/** Says whether a pull ended because its consumer or stream was deleted. By now it may have been made anew. */
export const isDeleted = (error: unknown): boolean => error instanceof Error && /^(consumer|stream) deleted$/.test(error.message)

/** Says whether a stream's leader answered that the stream is full: as many bytes as it may have (10077), or as JetStream may store (10047). */
const isFull = (error: unknown): boolean => error instanceof JetStreamApiError && [10047, 10077].includes(error.code)

/**
 * Watches what NATS stores for Herald. It makes a stream or consumer only on the answer that one is missing. Any other failure (an election, too few
 * servers, a full disk) is waited for, however long it takes.
 */
export function openQueueStore(
  service: Service,
  manager: JetStreamManager,
  { link, owns, makeStreams }: { link: Link; owns: boolean; makeStreams: () => Promise<void> },
): QueueStore {
  const { log } = service
  const noLeader = service.metrics.counter(
    'herald_queue_no_leader_total',
    'Requests to a stream that no leader answered: an election, too few servers, or a server that does not store.',
    ['stream'],
  )
  let stopped = false
  service.beforeStop('queue store', () => {
    stopped = true
  })

  const outages = new Map<string, number>()
  const handlers: (() => void)[] = []
  /** What was last seen of WORK: when it was made, and the newest sequence. */
  let seen: { created: string; sequence: number } | undefined
  let isOpen = false
  const opening = Promise.withResolvers<void>()
  let making: Promise<void> | undefined
  let looking: Promise<void> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  const make = () => (making ??= makeStreams().finally(() => (making = undefined)))

  const failed: QueueStore['failed'] = (stream, error, then) => {
    if (stopped || !link.up || isFull(error)) return
    const now = performance.now()
    noLeader.labels(stream).inc()
    if (now - (outages.get(stream) ?? Number.NEGATIVE_INFINITY) > forgottenMs)
      log.warn(
        { stream, message: String(error) },
        'no leader answers for a stream: an election, too few servers of NATS, a full disk, or a server without JetStream; waiting',
      )
    outages.set(stream, now)
    if (then === 'look' && now - lookedAt > lookAtMostEveryMs) void look()
  }
  const answered: QueueStore['answered'] = (stream, sequence = 0) => {
    if (stream === 'WORK' && seen && sequence > seen.sequence) seen.sequence = sequence
    const last = outages.get(stream)
    if (last === undefined || performance.now() - last < quietMs) return
    outages.delete(stream)
    log.info({ stream }, 'a stream answers again')
  }

  const infoOf = async (name: StreamName) => {
    try {
      const info = await link.ask(requestLimitMs, () => manager.streams.info(name))
      answered(name)
      return info
    } catch (error) {
      if (!isMissing(error)) failed(name, error)
      throw error
    }
  }
  const lookOnce = async () => {
    const before = seen?.sequence ?? 0
    const { created, state } = await infoOf('WORK')
    const isLost = seen !== undefined && (seen.created !== created || state.last_seq < before)
    // A message that was stored while the answer was on its way has a higher sequence.
    seen = { created, sequence: isLost ? state.last_seq : Math.max(state.last_seq, seen?.sequence ?? 0) }
    if (isLost) {
      log.warn('NATS has lost what it stored; rows without a taker get new pointers')
      for (const handler of handlers) handler()
    }
    await Promise.all([infoOf('EVENTS'), infoOf('CANARY')])
    isOpen = true
    opening.resolve()
  }
  const lookUntilThere = async () => {
    let toMake = owns && !isOpen
    let isTold = false
    const cannotMake = (error: unknown) => {
      if (!isTold && link.up) log.warn({ message: String(error) }, 'the streams could not be made yet; waiting')
      isTold ||= link.up
    }
    while (!stopped) {
      lookedAt = performance.now()
      try {
        // Another process may have had them made, so a failure to ask does not keep this one from looking.
        if (toMake) await (owns ? make() : make().catch(cannotMake))
        toMake = false
        return await lookOnce()
      } catch (error) {
        if (toMake) cannotMake(error)
        toMake ||= isMissing(error)
        await pause(isMissing(error) ? missingAgainMs : againMs)
      }
    }
  }
  const look = () => (looking ??= lookUntilThere().finally(() => (looking = undefined)))

  return {
    opened: (withinMs) => (isOpen ? Promise.resolve() : Promise.race([opening.promise, pause(withinMs)])),
    look,
    make,
    failed,
    answered,
    onLost: (handler) => void handlers.push(handler),
  }
}

const pause = (ms: number) => sleep(ms, undefined, { ref: false })
