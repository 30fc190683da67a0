import { setTimeout as sleep } from 'node:timers/promises'
import { HeraldError, type Herald, type WebhookEvent } from '@herald/node'
import { createParser } from 'eventsource-parser'

/** The functions that `watchEvents` calls for what a stream of events brings. */
export type Watcher = {
  /** Called when the stream is open, with `false` the first time and `true` after each reconnection. */
  opened?(isAgain: boolean): void
  event(event: WebhookEvent): void
  /** Called with the number of events that Herald left out, because there were more than 100 in a second. */
  dropped?(count: number): void
  /** Called when the stream ended, broke or could not be opened. `watchEvents` opens it again after a pause. */
  broken?(reason: string): void
}

/** A stream that brings nothing for this long is given up, because its connection must be dead: Herald writes a heartbeat after 10 s of silence. */
const silentMs = 35_000
const [firstDelayMs, longestDelayMs] = [500, 10_000]
/** A `retry-after` is heeded up to this long. */
const longestAskedMs = 60_000
const longestMessage = 1_000_000

/**
 * Watches an app's events until `stop`, and opens the stream again whenever it breaks. Rejects with a HeraldError when Herald refuses the stream for
 * a reason that a repetition does not change, such as 401.
 */
export async function watchEvents(herald: Herald, appPath: string, watcher: Watcher, stop: AbortSignal): Promise<void> {
  let delay = firstDelayMs
  for (let isAgain = false; !stop.aborted;) {
    let askedFor = 0
    try {
      await readStream(herald, `${appPath}/events`, stop, (name, data) => {
        if (name === 'watching') {
          watcher.opened?.(isAgain)
          isAgain = true
          delay = firstDelayMs
        } else if (name === 'event') watcher.event(data as WebhookEvent)
        else if (name === 'dropped') watcher.dropped?.((data as { dropped: number }).dropped)
      })
      watcher.broken?.('Herald ended the stream')
    } catch (error) {
      if (stop.aborted) return
      if (error instanceof HeraldError && error.status >= 400 && error.status < 500 && error.status !== 429) throw error
      watcher.broken?.(error instanceof Error ? error.message : String(error))
      if (error instanceof HeraldError) askedFor = Math.min(longestAskedMs, (error.retryAfterSeconds ?? 0) * 1_000)
    }
    await wait(Math.max(delay, askedFor), stop)
    delay = Math.min(longestDelayMs, delay * 2)
  }
}

/** Reads server-sent events until the stream ends. Rejects when Herald refuses it, when it brings nothing for 35 s, and when `stop` is aborted. */
export async function readStream(
  herald: Herald,
  path: string,
  stop: AbortSignal,
  take: (name: string, data: unknown) => void,
): Promise<void> {
  const quiet = new AbortController()
  const pass = () => quiet.abort()
  stop.addEventListener('abort', pass, { once: true })
  let timer = setTimeout(pass, silentMs)
  try {
    const { body } = await herald.open('GET', path, { signal: quiet.signal, retries: 0, headers: { accept: 'text/event-stream' } })
    const parser = createParser({
      maxBufferSize: longestMessage,
      onEvent({ event, data }) {
        if (event !== undefined) take(event, JSON.parse(data))
      },
      onError({ type }) {
        if (type === 'max-buffer-size-exceeded') throw new Error('the stream is not one of Herald')
      },
    })
    const decoder = new TextDecoder()
    for await (const part of body ?? []) {
      clearTimeout(timer)
      timer = setTimeout(pass, silentMs)
      parser.feed(decoder.decode(part as Uint8Array, { stream: true }))
    }
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', pass)
    quiet.abort()
  }
}

/** Resolves after `ms`, or at once when `stop` is aborted. */
export const wait = (ms: number, stop: AbortSignal): Promise<void> => sleep(ms, undefined, { signal: stop }).catch(() => undefined)
