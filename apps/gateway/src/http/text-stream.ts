import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Log } from '@herald/service/log'
import type { HeavyReads } from '../heavy-reads.ts'

/** An answer in parts, each made when the caller has taken the one before: of any length, in the memory of one part. */
export class TextStream {
  readonly parts: AsyncGenerator<string>
  readonly headers: Record<string, string>

  constructor(parts: AsyncGenerator<string>, headers: Record<string, string>) {
    this.parts = parts
    this.headers = headers
  }
}

/** A caller that takes nothing for so long is cut off. */
const slowestMs = 30_000

/**
 * Writes a stream of text. A Fault before the first part is answered like any other; one after it cuts the connection, which is how a caller sees that
 * not all has come. The parts end when the caller is gone.
 */
export async function respondText(
  response: ServerResponse,
  { parts, headers }: TextStream,
  { headOnly, log }: { headOnly: boolean; log: Log },
): Promise<void> {
  try {
    const first = headOnly ? undefined : await parts.next()
    if (response.headersSent || isGone(response)) return
    response.writeHead(200, headers)
    for (let part = first; part && !part.done; part = await parts.next()) {
      if (isGone(response)) return
      if (!response.write(part.value) && !isGone(response)) await drained(response)
    }
    response.end()
  } catch (error) {
    if (!response.headersSent) throw error
    if (!isGone(response)) log.warn({ err: error }, 'a stream of text was cut')
    response.destroy()
  } finally {
    await parts.return(undefined)
  }
}

const isGone = (response: ServerResponse): boolean => response.destroyed || response.closed

/** Resolves when more can be written, and also when the caller is gone: that is seen with the next part. */
async function drained(response: ServerResponse): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  const tooSlow = setTimeout(() => response.destroy(), slowestMs)
  try {
    // One of them is left waiting, and let go by the signal.
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  } finally {
    clearTimeout(tooSlow)
    done.abort()
  }
}

/** The same parts, made in a place of the app that is taken with the first and left with the last. Fault: rate_limited when there is none. */
export async function* inPlaceOf(heavyReads: HeavyReads, appId: string, parts: AsyncGenerator<string>): AsyncGenerator<string> {
  const leave = heavyReads.enter(appId)
  try {
    yield* parts
  } finally {
    leave()
  }
}
