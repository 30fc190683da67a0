import { send } from '../api/client.ts'
import { ApiFault } from '../api/fault.ts'
import { isPassing } from '../api/queryClient.ts'

/**
 * `live`: the stream is open. `reconnecting`: the stream has been broken for 3 s, or has brought nothing for 15 s. `polling`: streams are refused, so
 * the page reads every 2 s instead. `closed`: the tab is hidden, or nothing is followed.
 */
export type StreamState = 'live' | 'reconnecting' | 'polling' | 'closed'

type Listener = {
  hear: (name: string, data: unknown) => void
  poll: () => void
  /** `asOf` is the time of the last event or heartbeat, in milliseconds. */
  tell: (state: StreamState, asOf: number | undefined) => void
}

/** Gives the wait before a try to open the stream again, in milliseconds: 1, 2, 4 … 30 s. */
const pauseBefore = (tries: number): number => Math.min(1000 * 2 ** tries, 30_000)

/** While the gateway does not answer at all it is asked at least this often, so that the page is live again within 5 s of its first answer. */
const awayPauseMs = 4_000

const pollMs = 2_000
const sayAfterMs = 3_000
/** The gateway sends a heartbeat when it has sent nothing else for 10 s. A stream that has brought nothing for this long is dead. */
const deadAfterMs = 15_000
/** After this many refused tries in a row the page reads every 2 s instead. */
const refusalsToPoll = 3

/** Follows a stream until the returned function is called. The stream is closed while the tab is hidden, and is opened again after it broke. */
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

  /** Opens a stream in place of a dead one. A frozen gateway keeps its connections open and never says that they have ended. */
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
    // An EventSource does not say with which status it was refused. An ordinary request does: when the session has ended, it opens the dialog that
    // asks for the token.
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
