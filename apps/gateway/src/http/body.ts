import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { fault, invalidField } from '@herald/contracts/fault'

/**
 * A body has at most this many bytes (512 KiB). A large notification is much smaller: with 1,000 external ids of 128 letters and 64 KiB of content it
 * has less than 200 KiB.
 */
export const largestBody = 524_288

/**
 * Reads a request's JSON; undefined when it has no body. Faults: unsupported_media_type, body_too_large, invalid_body at path "". express.json cannot
 * do this: it reads a body that is too large to its end before it answers 413, and it accepts broken UTF-8.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared === 0 && request.headers['transfer-encoding'] === undefined) return undefined
  checkMediaType(request)
  if (declared > largestBody) throw tooLarge()
  const bytes = await readBytes(request)
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

/** Reads a body. When the body is too large, what still arrives of it is thrown away, so that the client can read the answer. */
function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= largestBody) {
        chunks.push(chunk)
        return
      }
      request.off('data', onData)
      request.resume()
      reject(tooLarge())
    }
    request.on('data', onData)
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', () => reject(endedEarly()))
    // `close` comes after every request, so the error is made only when the request ended early. To make an error for each request would cost more
    // than to read its body.
    request.on('close', () => {
      if (!request.readableEnded) reject(endedEarly())
    })
  })
}

const tooLarge = () => fault('body_too_large', `The body must be at most ${largestBody / 1024} KiB.`)
const endedEarly = () => invalidField('', 'ended before it was complete')
