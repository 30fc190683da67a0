import { defaultWindow } from '../frames.ts'
import type { HeadField, PreparedHead } from './head.ts'
import type { Reply } from './reply.ts'

/** A request as its caller gives it. */
export type Request = {
  head: PreparedHead
  path: string
  /** The header fields of this request alone. */
  more?: readonly HeadField[]
  body: Buffer | string
  /** How long the request may take, from the call to the end of the answer, including the wait for a connection. */
  timeoutMs: number
}

const noHeaders: ReadonlyMap<string, string> = new Map()
const noBody = Buffer.alloc(0)

/** One request and its answer. It is idle (RFC 9113 section 5.1) until a connection gives it a number. */
export class Stream {
  /** 0 while the request waits for a connection. */
  id = 0
  /** Kept until the request is written. After that the connection has its bytes, and garbage collections would only copy texts that wait for an answer. */
  request: Request | undefined
  /** When the request's time is over, by performance.now(). */
  readonly deadline: number
  hasReply = false
  /** How many writes the connection had made when the stream was begun. While that number stays, nothing of the request was written. */
  begunAtWrite = 0

  /** How much of the body the peer may be sent, and the bytes that wait for that window. */
  sendWindow = 0
  unsentBody: Buffer | undefined

  /** The status of the answer; 0 until its header block has come. */
  status = 0
  headers: ReadonlyMap<string, string> = noHeaders
  expectedBytes: number | undefined
  /** What the stream's DATA frames have taken of the connection's window, padding included. It is given back when the stream is closed. */
  windowBytes = 0
  /** How many bytes the peer may still send on this stream. */
  receiveWindow = defaultWindow
  /** What has come of the body is `body[0, bodyBytes)`. */
  body = noBody
  bodyBytes = 0

  private readonly resolve: (reply: Reply) => void

  constructor(request: Request, deadline: number, resolve: (reply: Reply) => void) {
    this.request = request
    this.deadline = deadline
    this.resolve = resolve
  }

  /** Gives the request its reply. The first reply counts. */
  giveReply(reply: Reply): void {
    if (this.hasReply) return
    this.hasReply = true
    this.resolve(reply)
  }
}
