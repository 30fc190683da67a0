import { brokenFieldRule, brokenValueRule, contentLength } from '../fields.ts'
import { defaultWindow } from '../frames.ts'
import type { Request } from './request.ts'

/** Real providers stop reading long before; more than this is a client gone wrong. */
export const maxBodyBytes = 1_048_576

/** A request on its way in, and its answer on the way out. */
export type Stream = {
  readonly id: number
  /** Without a prototype: a peer chooses the names. */
  readonly headers: Record<string, string>
  method: string
  path: string
  /** The first rule of RFC 9113 section 8 that the request broke. */
  malformed: string | undefined
  chunks: Buffer[]
  receivedBytes: number
  /** What the peer may still send, and what we may. */
  receiveWindow: number
  sendWindow: number
  /** The part of the answer's body that waits for window. */
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

/** A function that takes the decoded fields of one header block into `stream`, strictly: pseudo-headers first, known and once each, nothing of HTTP/1.1. */
export function takeFields(stream: Stream): (name: string, value: string) => void {
  let sawRegular = false
  return (name, value) => {
    if (name.charCodeAt(0) === 58) {
      if (sawRegular) stream.malformed ??= `${name} after a regular field`
      if (name === ':path') stream.path = value
      else if (name === ':method') stream.method = value
      else if (name !== ':scheme' && name !== ':authority') stream.malformed ??= `unknown pseudo-header ${name}`
      // Kept beside the others so that a missing or repeated one is noticed.
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

/** A function that takes the decoded fields of trailers, which nobody reads: it only sees that they keep the rules. */
export const takeTrailers =
  (stream: Stream): ((name: string, value: string) => void) =>
  (name, value) => {
    stream.malformed ??= name.charCodeAt(0) === 58 ? `${name} in trailers` : brokenFieldRule(name, value)
  }

/** The finished request, or the rule it broke. */
export function toRequest(stream: Stream): Request | string {
  const { headers, method, path } = stream
  const body = stream.chunks.length === 1 ? (stream.chunks[0] as Buffer) : Buffer.concat(stream.chunks)
  const length = headers['content-length']
  if (stream.malformed) return stream.malformed
  if (method === '' || path === '' || headers[':scheme'] === undefined) return 'missing pseudo-header'
  if (length !== undefined && contentLength(length) !== body.length) return `content-length ${length}, but ${body.length} bytes`
  return { method, path, headers, body }
}
