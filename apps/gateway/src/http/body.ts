import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { fault, invalidField } from '@herald/contracts/fault'
import type { BodyBudget, BodyOwner } from './body-budget.ts'

/** How a body is bounded: the most bytes that it may have, and what counts the bytes of all bodies that are being read. */
export type BodyBounds = { most: number; budget: BodyBudget; owner: () => BodyOwner }

/**
 * Reads a request's JSON; undefined when it has no body. Faults: unsupported_media_type, body_too_large, rate_limited, invalid_body at path "".
 * express.json would read a too large body to its end and accept broken UTF-8.
 */
export async function readJson(request: IncomingMessage, bounds: BodyBounds): Promise<unknown> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared === 0 && request.headers['transfer-encoding'] === undefined) return undefined
  checkMediaType(request)
  if (declared > bounds.most) throw tooLarge(bounds.most)
  return readBytes(request, declared, bounds, parse)
}

function parse(bytes: Buffer): unknown {
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

/** A body that does not come in one piece begins with room for this many bytes. */
const firstRoom = 4_096

/**
 * Gives a buffer's memory back at once. V8 seldom collects what has lived for seconds: 800 clients that held back the ends of their bodies took two to
 * three times the memory of these bodies.
 */
function free({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/**
 * Reads a body into one buffer, whose room the budget counts, and gives what `parse` makes of it. Chunks after the first are copied and not kept: 32
 * KiB that came byte by byte would take 5 MB.
 */
function readBytes<Parsed>(
  request: IncomingMessage,
  declared: number,
  { most, budget, owner }: BodyBounds,
  parse: (bytes: Buffer) => Parsed,
): Promise<Parsed> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const counted = budget.open(owner)
  let bytes: Buffer = Buffer.alloc(0)
  let size = 0
  const take = (chunk: Buffer) => {
    const end = size + chunk.length
    if (end > most) throw tooLarge(most)
    if (size === 0) {
      counted.arrived(end)
      bytes = chunk
    } else {
      if (end > bytes.length) {
        const room = Math.max(end, Math.min(declared || most, Math.max(firstRoom, 2 * end)))
        counted.arrived(room - bytes.length)
        const larger = Buffer.allocUnsafeSlow(room)
        larger.set(bytes.subarray(0, size))
        free(bytes)
        bytes = larger
      }
      bytes.set(chunk, size)
      free(chunk)
    }
    size = end
  }
  const onData = (chunk: Buffer) => {
    try {
      take(chunk)
    } catch (error) {
      request.off('data', onData)
      reject(error)
    }
  }
  request.on('data', onData)
  request.on('end', () => resolve())
  request.on('error', () => reject(endedEarly()))
  // `close` comes after every request, so the error is made only when the request ended early. To make an error for each request would cost more
  // than to read its body.
  request.on('close', () => {
    if (!request.readableEnded) reject(endedEarly())
  })
  return promise
    .then(() => parse(bytes.subarray(0, size)))
    .finally(() => {
      request.off('data', onData)
      free(bytes)
      counted.close()
    })
}

/** A client that has its answer before its body was read has this long to read the answer. */
const lingerMs = 1_000
/** A refused body of up to this size is received to its end, so that its connection can be used again. After a larger one the connection closes. */
const largestDiscarded = 65_536
/** Until it closes, this much more is received and freed. A body without an end would take a core for as long as its connection lingers. */
const mostReceived = 524_288
/** At most this many connections linger, because each may hold 64 KiB that nobody reads. */
const mostLingering = 50

let lingering = 0
const left = new WeakSet<IncomingMessage>()

/**
 * Ends with a body that was not read, so that its client can read the answer. Gives true when the connection must close after the answer: no more is
 * then received.
 */
export function leaveRest(request: IncomingMessage): boolean {
  const { headers, complete } = request
  const length = Number(headers['content-length'] ?? 0)
  if (complete || left.has(request) || (length === 0 && headers['transfer-encoding'] === undefined)) return false
  if (length > 0 && length <= largestDiscarded) {
    discard(request)
    return false
  }
  left.add(request)
  let received = 0
  request.on('data', (chunk: Buffer) => {
    received += chunk.length
    free(chunk)
    // Node would read the rest of a request that nobody listens to.
    if (received > mostReceived) request.pause()
  })
  request.resume()
  if (lingering < mostLingering) linger(request.socket)
  return true
}

/** Throws away what a client still sends, so that it can read its answer, and disconnects it when that does not end. */
export function discard(request: IncomingMessage): void {
  left.add(request)
  request.on('data', free).resume()
  const cut = setTimeout(() => request.destroy(), lingerMs)
  cut.unref()
  request.once('close', () => clearTimeout(cut))
}

/** Lets the connection end only a while after its answer. If it were closed with bytes unread, the client could lose the answer. */
function linger(socket: Socket): void {
  lingering += 1
  socket.once('close', () => (lingering -= 1))
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), lingerMs).unref()
  }
}

const tooLarge = (most: number) => fault('body_too_large', `The body must be at most ${most / 1024} KiB.`)
const endedEarly = () => invalidField('', 'ended before it was complete')
