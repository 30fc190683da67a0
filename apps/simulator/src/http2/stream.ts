import type { Request } from '../request.ts'
import { ConnectionError, errorCode } from './frames.ts'

/** RFC 9113 section 6.5.2: the window a stream starts with when nobody says otherwise. */
export const defaultWindow = 65_535
/** RFC 9113 section 6.9.1. */
export const maxWindow = 0x7fffffff
/** Real providers stop reading long before; more than this is a client gone wrong. */
export const maxBodyBytes = 1_048_576

/** A request on its way in, and its answer on the way out. */
export type Stream = {
  readonly id: number
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
  headers: {},
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

/** Fields that belong to HTTP/1.1 connections (RFC 9113 section 8.2.2). */
const connectionFields = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

/**
 * A function that takes the decoded fields of one header block into `stream`, strictly: pseudo-headers first and known, names in lower case, nothing of HTTP/1.1.
 * Over `maxListBytes` (names + values + 32 each) the connection ends.
 */
export function takeFields(stream: Stream, maxListBytes: number): (name: string, value: string) => void {
  let listBytes = 0
  let sawRegular = false
  return (name, value) => {
    listBytes += name.length + value.length + 32
    if (listBytes > maxListBytes) throw new ConnectionError(errorCode.enhanceYourCalm, 'header list too large')
    if (name.charCodeAt(0) === 58) {
      if (sawRegular) stream.malformed ??= `${name} after a regular field`
      if (name === ':path') stream.path = value
      else if (name === ':method') stream.method = value
      else if (name !== ':scheme' && name !== ':authority') stream.malformed ??= `unknown pseudo-header ${name}`
      // Kept beside the others so that a missing or repeated one is noticed.
      if (name in stream.headers) stream.malformed ??= `${name} twice`
      stream.headers[name] = value
      return
    }
    sawRegular = true
    if (connectionFields.has(name) || (name === 'te' && value !== 'trailers')) stream.malformed ??= `${name} is not allowed`
    if (/[^!#$%&'*+\-.^_`|~0-9a-z]/.test(name)) stream.malformed ??= 'invalid field name'
    const before = stream.headers[name]
    stream.headers[name] = before === undefined ? value : `${before}, ${value}`
  }
}

/** The finished request, or the rule it broke. */
export function toRequest(stream: Stream): Request | string {
  const { headers, method, path } = stream
  const body = stream.chunks.length === 1 ? (stream.chunks[0] as Buffer) : Buffer.concat(stream.chunks)
  const length = headers['content-length']
  if (stream.malformed) return stream.malformed
  if (method === '' || path === '' || headers[':scheme'] === undefined) return 'missing pseudo-header'
  if (length !== undefined && Number(length) !== body.length) return `content-length ${length}, but ${body.length} bytes`
  return { method, path, headers, body }
}
