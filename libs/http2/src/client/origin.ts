import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Connection } from './connection.ts'
import { dial, type DialOptions } from './dial.ts'
import { checkField, checkPath } from './head.ts'
import { usualLimits, type Limits } from './limits.ts'
import { openConnection } from './read-frames.ts'
import type { Reply } from './reply.ts'
import { sendRequest } from './send-request.ts'
import { Stream, type Request } from './stream.ts'
import { WaitingLine } from './waiting-line.ts'

/** An event of an origin's connections, for metrics and logs. A reason is a short word and names no host; the listener knows the origin. */
export type OriginEvent =
  | { is: 'connected'; isResumed: boolean; tookMs: number }
  /** A connection could not be made, or broke before its first answer. The next one is made `retryInMs` later at the earliest. */
  | { is: 'unreachable'; reason: string; retryInMs: number }
  /** A connection takes no new requests. `debug` is the text of the server's GOAWAY, which may be anything; empty when there is none. */
  | { is: 'draining'; reason: string; debug: string }
  | { is: 'disconnected'; reason: string }

export type OriginOptions = DialOptions & {
  limits?: Partial<Limits>
  onEvent?: (event: OriginEvent) => void
  /**
   * With `offerHttp1`: gets a connection whose server chose HTTP/1.1, so that the caller needs no second handshake. Requests to this origin are then
   * `unsent` with the reason HTTP_1_1. Without this function such a connection is closed.
   */
  onHttp1?: (socket: TLSSocket) => void
}

/**
 * How many connections, streams and waiting requests an origin has now, how many handshakes it has made, and how many of them resumed a TLS session.
 */
export type OriginStats = { connections: number; streams: number; waiting: number; handshakes: number; resumed: number }

/** One HTTPS origin and the HTTP/2 connections to it. */
export type Origin = {
  /** Sends a request. Calls `done` once with its reply; `done` must not throw. Throws TypeError for a path or field that HTTP/2 does not allow. */
  send: (request: Request, done: (reply: Reply) => void) => void
  /** Sends a request and gives its reply as a promise. The promise is never rejected for what the server or the network does. */
  request: (request: Request) => Promise<Reply>
  /** Finishes the requests that are on their way, within their time limits, then says GOAWAY and ends. Waiting and later requests are `unsent`. */
  close: () => Promise<void>
  readonly stats: OriginStats
}

/**
 * Time limits are checked this often while there are requests, else every `idleTickMs`, by one timer for each origin. A request may exceed its time
 * limit by up to this much.
 */
const tickMs = 50
const idleTickMs = 1_000

/** Prepares an origin. The first request opens a connection. */
export function openOrigin(options: OriginOptions): Origin {
  const limits: Limits = { ...usualLimits, ...options.limits }
  const { onEvent = () => undefined } = options
  const connections = new Set<Connection>()
  const line = new WaitingLine()
  let stopDialing: (() => void) | undefined
  let session: Buffer | undefined
  /**
   * How many connections in a row failed. A connection counts as failed too when the server ended it before any answer, or with ENHANCE_YOUR_CALM.
   */
  let failures = 0
  let retryAt = 0
  /** The connections that the server has ended with ENHANCE_YOUR_CALM. */
  const scolded = new WeakSet<Connection>()
  /** Why the last connection failed; undefined once another one is made. */
  let unreachable: string | undefined
  let closed: { promise: Promise<void>; resolve: () => void } | undefined
  let ticking: NodeJS.Timeout | undefined
  let isTickingSlowly = false
  let speaksHttp1 = false
  let handshakes = 0
  let resumed = 0

  function send(asked: Request, done: (reply: Reply) => void): void {
    checkPath(asked.path)
    if (asked.more) for (const field of asked.more) checkField(field)
    const refuse = (reason: string) => queueMicrotask(() => done({ is: 'unsent', reason }))
    if (closed || speaksHttp1) return refuse(closed ? 'closed' : 'HTTP_1_1')
    if (isTickingSlowly) tickSooner()
    const connection = line.length === 0 ? withRoom() : undefined
    if (!connection && line.length >= limits.queuedRequests) return refuse('QUEUE_FULL')
    const stream = new Stream(asked, performance.now() + asked.timeoutMs, done)
    if (connection) return sendRequest(connection, stream)
    line.push(stream)
    connectIfNeeded()
    return keepTicking(tickMs)
  }

  const withRoom = (): Connection | undefined => {
    for (const connection of connections) if (connection.room() > 0) return connection
    return undefined
  }

  /** Gives waiting requests to the connections that can begin more streams. */
  function serveLine(): void {
    while (line.length > 0) {
      const connection = withRoom()
      const stream = connection && line.shift()
      if (!stream) break
      sendRequest(connection, stream)
    }
    connectIfNeeded()
  }

  /** Opens one more connection if requests wait for one, no other is being made, and the limits allow it. */
  function connectIfNeeded(): void {
    if (line.length === 0 || stopDialing || closed || performance.now() < retryAt) return
    let isOpening = false
    let taking = 0
    for (const connection of connections) {
      if (connection.isDraining) continue
      taking++
      // A server that allows one stream before its first answer allows more after it, as APNs does with a provider token (Apple: Establishing a
      // connection to APNs). Until then it gets no second connection.
      if (!connection.sawSettings || (connection.answers === 0 && connection.peerMaxConcurrentStreams === 1)) isOpening = true
    }
    if (isOpening || taking >= limits.connections || connections.size - taking >= limits.drainingConnections) return
    connect()
  }

  function connect(): void {
    const startedAt = performance.now()
    stopDialing = dial(
      options,
      limits.connectMs,
      session,
      (fresh) => (session = fresh),
      (dialed) => {
        stopDialing = undefined
        if (dialed.is === 'failed') return failed(dialed.reason)
        handshakes++
        if (dialed.socket.isSessionReused()) resumed++
        if (dialed.protocol === 'http/1.1') return handOver(dialed.socket)
        onEvent({ is: 'connected', isResumed: dialed.socket.isSessionReused(), tookMs: Math.round(performance.now() - startedAt) })
        return added(dialed.socket)
      },
    )
  }

  function added(socket: Socket): void {
    const connection = openConnection(socket, limits, { roomier, draining, gone }, performance.now())
    connections.add(connection)
    unreachable = undefined
    keepTicking(tickMs)
    if (closed) connection.drain('closed')
  }

  const roomier = (): void => {
    if (line.length > 0) serveLine()
  }

  function draining(connection: Connection, reason: string, debug: string): void {
    onEvent({ is: 'draining', reason, debug })
    // Pauses before the next connection when a server ended this one before any answer, since it may do so again and again, and when it says
    // ENHANCE_YOUR_CALM.
    if (reason === 'ENHANCE_YOUR_CALM') scolded.add(connection)
    if (connection.answers === 0 || scolded.has(connection)) backOff()
    connectIfNeeded()
  }

  function gone(connection: Connection, reason: string): void {
    connections.delete(connection)
    onEvent({ is: 'disconnected', reason })
    if (connection.answers > 0 && !scolded.has(connection)) failures = 0
    if (connection.answers === 0 && reason !== 'done' && !closed) failed(reason)
    connectIfNeeded()
    endWhenEmpty()
  }

  function backOff(): number {
    const pause = Math.min(limits.longestBackoffMs, limits.backoffMs * 2 ** Math.min(failures++, 20))
    const retryInMs = Math.round(pause * (1 - Math.random() / 2))
    retryAt = performance.now() + retryInMs
    return retryInMs
  }

  /**
   * Notes that a connection failed. When no other connection takes requests, the waiting requests are `unsent` at once. Later requests wait for the
   * next attempt.
   */
  function failed(reason: string): void {
    unreachable = reason
    if (!closed) onEvent({ is: 'unreachable', reason, retryInMs: backOff() })
    const hasAnother = [...connections].some((connection) => connection.sawSettings && !connection.isDraining)
    if (!hasAnother) emptyLine(reason)
    endWhenEmpty()
  }

  function handOver(socket: TLSSocket): void {
    speaksHttp1 = true
    emptyLine('HTTP_1_1')
    if (options.onHttp1 && !closed) options.onHttp1(socket)
    else socket.destroy()
    endWhenEmpty()
  }

  const emptyLine = (reason: string): void =>
    line.giveUp(
      () => true,
      (stream) => stream.giveReply({ is: 'unsent', reason }),
    )

  /** Checks the time limits again after `afterMs`, as long as there are connections or waiting requests. */
  function keepTicking(afterMs: number): void {
    if (ticking || (connections.size === 0 && line.length === 0)) return
    isTickingSlowly = afterMs > tickMs
    ticking = setTimeout(tick, afterMs)
  }

  function tickSooner(): void {
    clearTimeout(ticking)
    ticking = undefined
    keepTicking(tickMs)
  }

  function tick(): void {
    ticking = undefined
    const now = performance.now()
    let streams = 0
    for (const connection of connections) {
      connection.tick(now)
      streams += connection.streams.size
    }
    line.giveUp(
      (stream) => stream.deadline <= now,
      (stream) => stream.giveReply({ is: 'unsent', reason: unreachable ?? 'timeout' }),
    )
    connectIfNeeded()
    keepTicking(streams > 0 || line.length > 0 ? tickMs : idleTickMs)
  }

  function endWhenEmpty(): void {
    if (closed && connections.size === 0 && !stopDialing) {
      clearTimeout(ticking)
      closed.resolve()
    }
  }

  return {
    send,
    request: (asked) => new Promise((resolve) => send(asked, resolve)),
    close() {
      if (closed) return closed.promise
      closed = Promise.withResolvers<void>()
      emptyLine('closed')
      stopDialing?.()
      for (const connection of connections) connection.drain('closed')
      endWhenEmpty()
      return closed.promise
    },
    get stats(): OriginStats {
      let streams = 0
      for (const connection of connections) streams += connection.streams.size
      return { connections: connections.size, streams, waiting: line.length, handshakes, resumed }
    },
  }
}
