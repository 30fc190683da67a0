import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { fault, invalidField } from '@herald/contracts/fault'
import type { BodyBudget } from './body-budget.ts'

/** How a body is bounded: the most bytes that it may have, and what counts the bytes of all bodies that are being read. */
export type BodyBounds = { most: number; budget: BodyBudget; owner: () => string }

/**
 * Reads a request's JSON; undefined when it has no body. Faults: unsupported_media_type, body_too_large, rate_limited, invalid_body at path "".
 * express.json cannot do this: it reads a body that is too large to its end before it answers 413, and it accepts broken UTF-8.
 */
export async function readJson(request: IncomingMessage, bounds: BodyBounds): Promise<unknown> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared === 0 && request.headers['transfer-encoding'] === undefined) return undefined
  checkMediaType(request)
  if (declared > bounds.most) throw tooLarge(bounds.most)
  const bytes = await readBytes(request, bounds)
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw invalidField('', 'must be JSON in UTF-8')
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw invalidField('', 'must be JSON')
  }
}

function checkMediaType(request: IncomingMessage): void {
  if (mediaTypeOf(request, ['application/json']) !== undefined) return
  const { 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding.toLowerCase() !== 'identity')
    throw fault('unsupported_media_type', 'The body must not be compressed: leave out content-encoding.')
  throw fault('unsupported_media_type', 'The body must be JSON in UTF-8: content-type application/json.')
}

/** Gives the media type of a body when it is one of `takes`, and the body is in UTF-8 and not compressed; else undefined. */
export function mediaTypeOf({ headers }: IncomingMessage, takes: readonly string[]): string | undefined {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '')
  const isUtf8Text = charset === undefined || charset === 'utf-8' || charset === 'utf8'
  const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity'
  return takes.includes(mediaType) && isUtf8Text && isPlain ? mediaType : undefined
}

/** Reads a body. When the body is too large, what still arrives of it is thrown away for a while, so that the client can read the answer. */
function readBytes(request: IncomingMessage, { most, budget, owner }: BodyBounds): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  const counted = budget.open(owner)
  let size = 0
  const onData = (chunk: Buffer) => {
    size += chunk.length
    try {
      if (size > most) throw tooLarge(most)
      counted.arrived(chunk.length)
      chunks.push(chunk)
    } catch (error) {
      request.off('data', onData)
      chunks.length = 0
      discard(request)
      reject(error)
    }
  }
  request.on('data', onData)
  request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
  request.on('error', () => reject(endedEarly()))
  // `close` comes after every request, so the error is made only when the request ended early. To make an error for each request would cost more
  // than to read its body.
  request.on('close', () => {
    if (!request.readableEnded) reject(endedEarly())
  })
  return promise.finally(() => counted.close())
}

/** A client that is refused midway has this long to read the answer. */
const lingerMs = 5_000

/** Reads what the client still sends and throws it away, for `lingerMs` at most, so that the client can read the answer. */
export function discard(request: IncomingMessage): void {
  request.resume()
  const cut = setTimeout(() => request.destroy(), lingerMs)
  cut.unref()
  request.once('close', () => clearTimeout(cut))
}

const tooLarge = (most: number) => fault('body_too_large', `The body must be at most ${most / 1024} KiB.`)
const endedEarly = () => invalidField('', 'ended before it was complete')
