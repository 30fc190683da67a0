import { send } from '../api/client.ts'
import { ApiFault } from '../api/fault.ts'
import { isPassing } from '../api/queryClient.ts'

/**
 * `live`: the stream is open, or broke less than 3 s ago. `reconnecting`: none could be opened for 3 s, or it was silent for 15 s. `polling`: the
 * gateway refuses it. `closed`: hidden tab, ended session, no stream.
 */
export type StreamState = 'live' | 'reconnecting' | 'polling' | 'closed'

type Listener = {
  /** Gets each event: its name and its parsed data. */
  hear: (name: string, data: unknown) => void
  /** Reads what the stream would have brought. Called every 2 s while the state is `polling`. */
  poll: () => void
  /**
   * Gets the state. `asOf`: the time in milliseconds as of which the page is up to date, by the last event, heartbeat or `poll`, else by the stream's
   * first opening. Undefined until then.
   */
  tell: (state: StreamState, asOf: number | undefined) => void
}

/** Gives how long the page waits before it opens a broken stream again, in milliseconds: 1 s at first, doubled each time, at most 30 s. */
const pauseBefore = (tries: number): number => Math.min(1000 * 2 ** tries, 30_000)

/**
 * While the gateway is away, the page waits at most this long before it tries again to open the stream. So the page is live again within 5 s after
 * the gateway is back.
 */
const awayPauseMs = 4_000

const pollMs = 2_000
const sayAfterMs = 3_000
/**
 * A stream that has brought nothing for this long is dead, and the page opens a new one. The gateway sends a heartbeat when it has sent no event for
 * 10 s.
 */
const deadAfterMs = 15_000
/**
 * After this many failed tries in a row the page reads every 2 s, if the gateway answers other requests and so refuses only the stream. The page goes
 * on trying to open it.
 */
const refusalsToPoll = 3

/**
 * Follows the stream of server-sent events at `path` until the returned function is called, and calls `listener` with the events named in `names`.
 * Closes the stream while the tab is hidden, and opens a broken one again.
 */
export function followStream(path: string, names: string[], listener: Listener): () => void {
  let source: EventSource | undefined
  let tries = 0
  let opened = false
  let asOf: number | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let late: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined
  let polling: ReturnType<typeof setInterval> | undefined
  let ended = false

  const hear = (name: string) => (event: MessageEvent<string>) => {
    beat()
    listener.hear(name, parsed(event.data))
  }

  const beat = (): void => {
    asOf = Date.now()
    waitForMore()
    listener.tell('live', asOf)
  }

  const waitForMore = (): void => {
    clearTimeout(silence)
    silence = setTimeout(replace, deadAfterMs)
  }

  /** Opens a new stream in the place of a dead one. A frozen gateway keeps its connections open, so the browser reports no error of the dead one. */
  const replace = (): void => {
    close()
    if (polling === undefined) listener.tell('reconnecting', asOf)
    open()
  }

  const open = (): void => {
    if (ended || document.hidden || source !== undefined) return
    sayWhenLate()
    source = new EventSource(path)
    waitForMore()
    source.addEventListener('open', () => {
      tries = 0
      opened = true
      asOf ??= Date.now()
      clearInterval(polling)
      polling = undefined
      onTime()
      waitForMore()
      listener.tell('live', asOf)
    })
    source.addEventListener('heartbeat', beat)
    for (const name of names) source.addEventListener(name, hear(name))
    source.addEventListener('error', () => void fail())
  }

  const close = (): void => {
    source?.close()
    source = undefined
    clearTimeout(again)
    clearTimeout(silence)
  }

  const sayWhenLate = (): void => {
    late ??= setTimeout(() => polling === undefined && listener.tell('reconnecting', asOf), sayAfterMs)
  }

  const onTime = (): void => {
    clearTimeout(late)
    late = undefined
  }

  const fail = async (): Promise<void> => {
    close()
    sayWhenLate()
    tries += 1
    // An EventSource does not say why it could not be opened, so an ordinary request finds out. When the session has ended, this request asks for the
    // token, and fails with 401 if the operator closes that dialog.
    let isAway = false
    await send(new Request(new URL('/v1/admin/system', location.origin))).catch((error: unknown) => {
      isAway = isPassing(error)
      if (error instanceof ApiFault && error.status === 401) ended = true
    })
    if (ended) return listener.tell('closed', asOf)
    if (!opened && !isAway && tries >= refusalsToPoll) startPolling()
    opened = false
    const pause = pauseBefore(tries - 1)
    if (!document.hidden) again = setTimeout(open, isAway ? Math.min(pause, awayPauseMs) : pause)
  }

  const startPolling = (): void => {
    onTime()
    if (polling !== undefined) return
    const ask = (): void => {
      if (document.hidden) return
      listener.poll()
      listener.tell('polling', Date.now())
    }
    polling = setInterval(ask, pollMs)
    ask()
  }

  const look = (): void => {
    if (!document.hidden) return open()
    close()
    onTime()
    listener.tell('closed', asOf)
  }

  document.addEventListener('visibilitychange', look)
  open()
  return () => {
    ended = true
    document.removeEventListener('visibilitychange', look)
    clearInterval(polling)
    close()
    onTime()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
