import { defaultWindow } from '../frames.ts'
import type { HeadField, PreparedHead } from './head.ts'
import type { Reply } from './reply.ts'

/** A request as its caller gives it. */
export type Request = {
  head: PreparedHead
  path: string
  /** Fields of this request alone. */
  more?: readonly HeadField[]
  body: Buffer | string
  /** From the call until the whole answer, waiting included. */
  timeoutMs: number
}

const noHeaders: ReadonlyMap<string, string> = new Map()
const noBody = Buffer.alloc(0)

/** One request and its answer. It is idle (RFC 9113 section 5.1) until a connection gives it a number. */
export class Stream {
  /** 0 while it waits for a connection. */
  id = 0
  /** Until it is written: what is on its way is the connection's, and texts that wait for an answer would only be copied by collections. */
  request: Request | undefined
  /** When its time is over, by performance.now(). */
  readonly deadline: number
  isSettled = false
  /** The count of the connection's writes when it was begun: while that stays, nothing of it was written. */
  begunAtWrite = 0

  /** What the peer may be sent of the body: its window, and the bytes that wait for it. */
  sendWindow = 0
  unsentBody: Buffer | undefined

  /** 0 until the header block of the answer has come. */
  status = 0
  headers: ReadonlyMap<string, string> = noHeaders
  expectedBytes: number | undefined
  /** What its DATA frames have taken of the connection's window, padding included; given back when the stream is closed. */
  windowBytes = 0
  /** What the peer may still send us. */
  receiveWindow = defaultWindow
  /** The body so far is `body[0, bodyBytes)`. */
  body = noBody
  bodyBytes = 0

  private readonly resolve: (reply: Reply) => void

  constructor(request: Request, deadline: number, resolve: (reply: Reply) => void) {
    this.request = request
    this.deadline = deadline
    this.resolve = resolve
  }

  /** Give the request its reply. The first one counts. */
  settle(reply: Reply): void {
    if (this.isSettled) return
    this.isSettled = true
    this.resolve(reply)
  }
}
