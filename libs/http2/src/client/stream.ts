import { defaultWindow } from '../frames.ts'
import type { HeadField, PreparedHead } from './head.ts'
import type { Reply } from './reply.ts'

export type Request = {
  head: PreparedHead
  path: string
  /** The header fields of this request alone, without `content-length`, which the client writes. */
  more?: readonly HeadField[]
  body: Buffer | string
  /** How long the request may take, from the call to the end of the answer, including the wait for a connection. */
  timeoutMs: number
}

const noHeaders: ReadonlyMap<string, string> = new Map()
const noBody = Buffer.alloc(0)

/** One request and its answer. The stream is idle (RFC 9113 section 5.1) until a connection gives it a number. */
export class Stream {
  /** The stream's number; 0 while the request waits for a connection. */
  id = 0
  /** The request; undefined once its bytes are in the output. It is not stored longer, because that would only make garbage collections slower. */
  request: Request | undefined
  /** When the request's time limit ends, by `performance.now()`. */
  readonly deadline: number
  hasReply = false
  /**
   * How many writes the connection had made when the stream was begun. While the connection has made no further write, nothing of the request has
   * left this process.
   */
  begunAtWrite = 0

  /** How many bytes the client may still send on this stream. */
  sendWindow = 0
  /** The part of the body that waits until the client may send more; undefined when nothing waits. */
  unsentBody: Buffer | undefined

  /** The status of the answer; 0 until its header block has come. */
  status = 0
  headers: ReadonlyMap<string, string> = noHeaders
  expectedBytes: number | undefined
  /**
   * How many bytes of the connection's window the stream's DATA frames have used, padding included. They are given back when the stream is closed.
   */
  windowBytes = 0
  /** How many bytes the server may still send on this stream. */
  receiveWindow = defaultWindow
  /** The received part of the body is the first `bodyBytes` bytes of this buffer. */
  body = noBody
  bodyBytes = 0

  private readonly resolve: (reply: Reply) => void

  constructor(request: Request, deadline: number, resolve: (reply: Reply) => void) {
    this.request = request
    this.deadline = deadline
    this.resolve = resolve
  }

  /** Gives the request its reply. Only the first reply counts. */
  giveReply(reply: Reply): void {
    if (this.hasReply) return
    this.hasReply = true
    this.resolve(reply)
  }
}
