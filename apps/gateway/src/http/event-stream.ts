import type { ServerResponse } from 'node:http'

/** An answer that goes on: server-sent events, until it ends or the caller is gone. `start` answers what stops it; it may throw a Fault. */
export class EventStream {
  readonly start: (sink: EventSink) => () => void

  constructor(start: (sink: EventSink) => () => void) {
    this.start = start
  }
}

export type EventSink = {
  event(name: string, data: unknown): void
  /** Several events in one piece, for whoever keeps what waits by itself: to be asked for only while the caller takes what comes. */
  events(name: string, all: readonly unknown[]): void
  /** The caller has not taken what was written before. */
  isBlocked(): boolean
  /** A line that clients do not look at: the stream is alive. */
  comment(text: string): void
  end(): void
}

/** Something is written at least this often. A caller that took nothing since is cut off. */
const heartbeatMs = 10_000

/**
 * Writes a stream. A caller that does not read as fast as things happen gets the newest when it is ready again, so that it costs one
 * event and no pile of them; nothing here keeps the process alive.
 */
export function respondStream(response: ServerResponse, stream: EventStream, { headOnly }: { headOnly: boolean }): void {
  let blocked = false
  let silent = true
  let waiting: string | undefined
  let ending = false

  const write = (text: string) => {
    if (response.destroyed || response.writableEnded) return
    if (blocked) {
      waiting = text
      return
    }
    silent = false
    blocked = !response.write(text)
  }
  response.on('drain', () => {
    blocked = false
    if (waiting !== undefined) write(waiting)
    waiting = undefined
    if (ending && !blocked) response.end()
  })
  const heartbeat = setInterval(() => {
    if (blocked) response.destroy()
    else if (silent) response.write(':\n\n')
    silent = true
  }, heartbeatMs).unref()

  let stop: (() => void) | undefined
  response.once('close', () => {
    clearInterval(heartbeat)
    stop?.()
  })
  // No answer for a client that only asked for the head; a fault of the start is answered like any other.
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

const lookAgainMs = 15_000

/** A stream that ends when the session does with which it was opened. */
export const whileSignedIn = (stream: EventStream, lasts: () => Promise<boolean>, everyMs = lookAgainMs): EventStream =>
  new EventStream((sink) => {
    const stop = stream.start(sink)
    // Whether it has ended cannot be known while the database is away: it is asked again.
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
