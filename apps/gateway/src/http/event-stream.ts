import type { ServerResponse } from 'node:http'

/**
 * An answer of server-sent events, open until it ends or the caller disconnects. `start` begins to write and gives the function that stops it; it
 * may throw a Fault.
 */
export class EventStream {
  readonly start: (sink: EventSink) => () => void

  constructor(start: (sink: EventSink) => () => void) {
    this.start = start
  }
}

export type EventSink = {
  event(name: string, data: unknown): void
  /** Writes several events in one piece. To be called only while `isBlocked` is false: of pieces that wait, the newest alone is kept. */
  events(name: string, all: readonly unknown[]): void
  /** Whether the caller has not yet read what was written before. */
  isBlocked(): boolean
  /** Writes a comment: clients skip it, and it shows that the stream is alive. */
  comment(text: string): void
  end(): void
}

/** When nothing was written for this long, a heartbeat is written. A caller that has still not read what was written before is cut off. */
const silenceMs = 10_000
/** An event, because a page cannot see comments: by it a page tells a quiet stream from a frozen gateway. */
const heartbeatText = 'event: heartbeat\ndata: {}\n\n'

/**
 * Writes a stream. A caller that reads slower than things happen gets the newest event when it is ready again; older events that waited are
 * dropped, so a slow caller costs the memory of one event. Nothing here keeps the process alive.
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
  // HEAD gets the headers alone. A Fault of `start` is answered like any other.
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

/** The same stream, which ends when the session that opened it has ended. */
export const whileSignedIn = (stream: EventStream, lasts: () => Promise<boolean>, everyMs = lookAgainMs): EventStream =>
  new EventStream((sink) => {
    const stop = stream.start(sink)
    // While the database is away nobody knows whether the session has ended: it is asked again.
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
