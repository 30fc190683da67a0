import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Log } from '@herald/service/log'

/**
 * An answer of text in parts. A part is made when the client has taken the part before it, so an answer of any length takes the memory of one part.
 */
export class TextStream {
  readonly parts: AsyncGenerator<string>
  readonly headers: Record<string, string>

  constructor(parts: AsyncGenerator<string>, headers: Record<string, string>) {
    this.parts = parts
    this.headers = headers
  }
}

/** A part is written in pieces of this size. A client is disconnected when it does not take a piece within `slowestMs`, so it needs 2 kB a second. */
const pieceBytes = 65_536
const slowestMs = 30_000

/**
 * Writes a stream of text. An error before the first part is answered as usual; a later one cuts the connection, so that the client sees that parts
 * are missing. After a disconnect no more parts are made.
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
      const bytes = Buffer.from(part.value)
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        if (isGone(response)) return
        if (!response.write(bytes.subarray(from, from + pieceBytes)) && !isGone(response)) await drained(response)
      }
    }
    response.end()
  } catch (error) {
    if (!response.headersSent) throw error
    if (!isGone(response)) log.warn({ err: error }, 'a streamed answer was cut off')
    response.destroy()
  } finally {
    await parts.return(undefined)
  }
}

const isGone = (response: ServerResponse): boolean => response.destroyed || response.closed

/** Resolves when more can be written, or when the client has disconnected; `respondText` notices that before the next part. */
async function drained(response: ServerResponse): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  const tooSlow = setTimeout(() => response.destroy(), slowestMs)
  try {
    // Only one of the two events may come. The signal ends the wait for the other event.
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  } finally {
    clearTimeout(tooSlow)
    done.abort()
  }
}
