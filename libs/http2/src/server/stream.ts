import { brokenFieldRule, brokenValueRule, contentLength } from '../fields.ts'
import { defaultWindow } from '../frames.ts'
import type { Request } from './request.ts'

/** The body of a request may have at most this many bytes. That is far more than real providers accept, so a client that sends more has a bug. */
export const maxBodyBytes = 1_048_576

/** A request that is being received, and its answer while it is being sent. */
export type Stream = {
  readonly id: number
  /** An object without a prototype, because the client chooses the names. */
  readonly headers: Record<string, string>
  method: string
  path: string
  /** The first rule of RFC 9113 section 8 that the request broke. */
  malformed: string | undefined
  chunks: Buffer[]
  receivedBytes: number
  /** How many more bytes the client may send on this stream. */
  receiveWindow: number
  /** How many more bytes the server may send on this stream. */
  sendWindow: number
  /** The part of the answer's body that waits for a larger window. */
  unsent: Buffer | undefined
  isEnded: boolean
}

export const newStream = (id: number, sendWindow: number): Stream => ({
  id,
  headers: Object.create(null) as Record<string, string>,
  method: '',
  path: '',
  malformed: undefined,
  chunks: [],
  receivedBytes: 0,
  receiveWindow: defaultWindow,
  sendWindow,
  unsent: undefined,
  isEnded: false,
})

/**
 * Makes a function that stores the decoded fields of one header block in `stream`. It checks strictly that pseudo-headers come first, are known and
 * come once each, and that the other fields break no rule of `fields.ts`.
 */
export function takeFields(stream: Stream): (name: string, value: string) => void {
  let sawRegular = false
  return (name, value) => {
    if (name.charCodeAt(0) === 58) {
      if (sawRegular) stream.malformed ??= `${name} after a regular field`
      if (name === ':path') stream.path = value
      else if (name === ':method') stream.method = value
      else if (name !== ':scheme' && name !== ':authority') stream.malformed ??= `unknown pseudo-header ${name}`
      // Pseudo-headers are stored together with the other fields, so that a missing or repeated one is noticed.
      if (name in stream.headers) stream.malformed ??= `${name} twice`
      stream.malformed ??= brokenValueRule(value)
      stream.headers[name] = value
      return
    }
    sawRegular = true
    stream.malformed ??= brokenFieldRule(name, value)
    const before = stream.headers[name]
    stream.headers[name] = before === undefined ? value : `${before}, ${value}`
  }
}

/** Makes a function that takes the decoded fields of trailers. They are checked and not used. */
export const takeTrailers =
  (stream: Stream): ((name: string, value: string) => void) =>
  (name, value) => {
    stream.malformed ??= name.charCodeAt(0) === 58 ? `${name} in trailers` : brokenFieldRule(name, value)
  }

/** Gives the complete request, or the rule that it broke. */
export function toRequest(stream: Stream): Request | string {
  const { headers, method, path } = stream
  const body = stream.chunks.length === 1 ? (stream.chunks[0] as Buffer) : Buffer.concat(stream.chunks)
  const length = headers['content-length']
  if (stream.malformed) return stream.malformed
  if (method === '' || path === '' || headers[':scheme'] === undefined) return 'missing pseudo-header'
  if (length !== undefined && contentLength(length) !== body.length) return `content-length ${length}, but ${body.length} bytes`
  return { method, path, headers, body }
}
