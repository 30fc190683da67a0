import type { ServerResponse } from 'node:http'

/**
 * An answer of server-sent events, open until it ends or the client disconnects. `start` begins to write events and gives the function that stops
 * them; it may throw a Fault.
 */
export class EventStream {
  readonly start: (sink: EventSink) => () => void

  constructor(start: (sink: EventSink) => () => void) {
    this.start = start
  }
}

export type EventSink = {
  event(name: string, data: unknown): void
  /**
   * Writes several events in one piece. Call it only while `isBlocked` is false: while it is true, only the newest piece waits to be written, and an
   * older waiting piece is dropped.
   */
  events(name: string, all: readonly unknown[]): void
  /** True while the client has not read what was written before. */
  isBlocked(): boolean
  /** Writes a comment, which clients skip; writes nothing while `isBlocked` is true. */
  comment(text: string): void
  end(): void
}

/**
 * A heartbeat is written when nothing else was written for this long. When the client has by then not read what was written before, the client is
 * disconnected instead.
 */
const silenceMs = 10_000
/** The heartbeat is an event, because a page cannot see comments. With it a page can tell a quiet stream from a frozen gateway. */
const heartbeatText = 'event: heartbeat\ndata: {}\n\n'

/**
 * Writes a stream. For a client that reads too slowly only the newest event waits, so it costs the memory of one event. The timer of heartbeats does
 * not keep the process alive.
 */
export function respondStream(
  response: ServerResponse,
  stream: EventStream,
  { headOnly, heartbeatMs = silenceMs }: { headOnly: boolean; heartbeatMs?: number },
): void {
  let blocked = false
  let waiting: string | undefined
  let ending = false

  const write = (text: string) => {
    if (response.destroyed || response.writableEnded) return
    if (blocked) {
      waiting = text
      return
    }
    blocked = !response.write(text)
    heartbeat.refresh()
  }
  response.on('drain', () => {
    blocked = false
    if (waiting !== undefined) write(waiting)
    waiting = undefined
    if (ending && !blocked) response.end()
  })
  const heartbeat = setInterval(() => {
    if (blocked) response.destroy()
    else response.write(heartbeatText)
  }, heartbeatMs).unref()

  let stop: (() => void) | undefined
  response.once('close', () => {
    clearInterval(heartbeat)
    stop?.()
  })
  // HEAD gets the headers alone. A Fault that `start` throws is answered like any other.
  response.statusCode = 200
  response.setHeader('content-type', 'text/event-stream')
  response.setHeader('x-accel-buffering', 'no')
  if (headOnly) return void response.end()
  try {
    stop = stream.start({
      event: (name, data) => write(textOf(name, data)),
      events: (name, all) => write(all.map((data) => textOf(name, data)).join('')),
      isBlocked: () => blocked,
      comment: (text) => !blocked && write(`: ${text}\n\n`),
      end() {
        ending = true
        if (!blocked) response.end()
      },
    })
  } catch (error) {
    clearInterval(heartbeat)
    throw error
  }
  if (response.destroyed) stop()
}

/** Asking costs a look into memory (`sessions.lasts`), and a stream must end within 2 s of signing out. */
const lookAgainMs = 1_000

/** Gives a stream with the same events. Every `everyMs` milliseconds it checks whether the session lasts, and ends when the session has ended. */
export const whileSignedIn = (stream: EventStream, lasts: () => Promise<boolean>, everyMs = lookAgainMs): EventStream =>
  new EventStream((sink) => {
    const stop = stream.start(sink)
    // While the database is away it is unknown whether the session has ended, so the stream goes on until the next check.
    const look = () =>
      void lasts().then(
        (still) => still || sink.end(),
        () => undefined,
      )
    const timer = setInterval(look, everyMs).unref()
    return () => {
      clearInterval(timer)
      stop()
    }
  })

const textOf = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
