import type { Duplex } from 'node:stream'
import {
  defaultWindow,
  errorCode,
  errorName,
  goAwayFrame,
  preface,
  resetFrame,
  setting,
  settingsFrame,
  windowUpdateFrame,
} from '../frames.ts'
import { HpackDecoder } from '../hpack/decoder.ts'
import { AbandonedStreams } from './abandoned-streams.ts'
import { connectionWindow, headerListLimits, type Limits } from './limits.ts'
import { OpenStreams } from './open-streams.ts'
import { Output } from './output.ts'
import { Patience } from './patience.ts'
import { Liveness } from './ping.ts'
import { RequestEncoder } from './request-block.ts'
import { AnswerFields } from './answer-fields.ts'
import { errorWord } from './reply.ts'
import type { Stream } from './stream.ts'

/** The functions that a connection calls to inform the origin that opened it. */
export type Owner = {
  /** Is called when the connection may be able to begin more streams than before. */
  roomier: () => void
  /**
   * Is called when the connection begins no new stream: after a GOAWAY, after all requests that it may send, or at a close. Open streams go on.
   * `debug` is the text of the GOAWAY.
   */
  draining: (connection: Connection, reason: string, debug: string) => void
  /** Is called when the connection has ended and every stream has its reply. */
  gone: (connection: Connection, reason: string) => void
}

/** A header block that arrives in parts: HEADERS, then CONTINUATION until END_HEADERS. */
export type HeaderBlock = { streamId: number; endsStream: boolean; parts: Buffer[]; bytes: number }

/**
 * The client's SETTINGS (RFC 9113 section 6.5.2). Those that it does not send have their defaults: a header table of 4,096 bytes, windows of 65,535
 * bytes for streams, and frames of at most 16,384 bytes.
 */
const ourSettings = settingsFrame([
  [setting.enablePush, 0],
  [setting.maxConcurrentStreams, 0],
  [setting.maxHeaderListSize, headerListLimits.bytes],
])

/**
 * One HTTP/2 connection of a client (RFC 9113): its state, beginning and end. `read-frames.ts` gives each frame of the server to its function, mostly
 * in `receive-<frame>.ts`; `send-request.ts`, `flow-control.ts` and `ping.ts` write.
 */
export class Connection {
  readonly limits: Limits
  readonly owner: Owner
  readonly output: Output
  readonly streams = new OpenStreams()
  /** The streams whose body waits, for a larger window or until the server has read more. */
  readonly waiting = new Set<Stream>()
  readonly abandoned = new AbandonedStreams()
  readonly encoder = new RequestEncoder()
  readonly decoder = new HpackDecoder(headerListLimits)
  readonly answerFields = new AnswerFields()
  readonly liveness: Liveness
  readonly patience = new Patience()

  /** Whether the SETTINGS of the server have come. Until then no stream is begun. */
  sawSettings = false
  peerMaxConcurrentStreams = Infinity
  peerInitialWindow = defaultWindow
  /** How many more bytes the client may send on all streams together. */
  sendWindow = defaultWindow
  /** How many more bytes the server may send on all streams together. */
  receiveWindow = connectionWindow
  /** How many received bytes have been freed without telling the server yet. When it is told, it may send as many bytes more. */
  returnedBytes = 0

  nextStreamId = 1
  /** The last stream that the server may still answer after its GOAWAY. */
  goneAfter: number | undefined
  isDraining = false
  isGone = false
  /** A header block that is not complete: its CONTINUATION has not come yet. */
  headerBlock: HeaderBlock | undefined
  /** How many requests were answered so far, also by an answer whose body was cut. */
  answers = 0
  private readonly socket: Duplex

  /**
   * Speaks HTTP/2 on a connected socket whose two ends have agreed on h2. `sendWaiting` is called when the server has read what was written, before
   * new requests are begun.
   */
  constructor(socket: Duplex, limits: Limits, owner: Owner, now: number, sendWaiting: (connection: Connection) => void) {
    this.socket = socket
    this.limits = limits
    this.owner = owner
    this.liveness = new Liveness(now, limits)
    const roomier = () => {
      sendWaiting(this)
      owner.roomier()
    }
    this.output = new Output(socket, limits.bufferedBytes, roomier, () => this.lose('ENHANCE_YOUR_CALM'))
    this.output.push(preface)
    this.output.push(ourSettings)
    this.output.push(windowUpdateFrame(0, connectionWindow - defaultWindow))
    socket.on('error', (error) => this.lose(errorWord(error)))
    socket.on('end', () => this.lose('closed'))
    socket.on('close', () => this.lose('closed'))
  }

  /** Gives how many more streams can be begun now. */
  room(): number {
    if (!this.sawSettings || this.isDraining || this.isGone || this.output.isBlocked) return 0
    // While the connection's window is used up, the body of a new stream would have to wait here, and perhaps not on another connection.
    if (this.sendWindow <= 0) return 0
    return Math.min(this.peerMaxConcurrentStreams, this.limits.streams) - this.streams.size
  }

  /** Gives the number of a new stream: odd, and higher than any before (RFC 9113 section 5.1.1). */
  takeStreamId(): number {
    const id = this.nextStreamId
    this.nextStreamId += 2
    return id
  }

  /** Says whether the client has never opened this stream. */
  isIdle(streamId: number): boolean {
    return streamId >= this.nextStreamId || streamId % 2 === 0
  }

  /** Forgets a stream that has its reply. */
  closeStream(stream: Stream): void {
    this.streams.delete(stream.id)
    this.waiting.delete(stream)
    this.returnWindow(stream.windowBytes)
    if (this.isDraining) this.endWhenDone()
    else this.owner.roomier()
  }

  /** Breaks a stream off with RST_STREAM, and remembers it as abandoned. */
  resetStream(stream: Stream, code: number): void {
    this.output.push(resetFrame(stream.id, code))
    this.abandoned.add(stream.id)
    this.closeStream(stream)
  }

  /** Ends a stream on which the server broke a rule or a limit. Other streams go on. */
  failStream(stream: Stream, code: number): void {
    stream.giveReply({ is: 'unanswered', why: 'broken', reason: errorName(code) })
    this.resetStream(stream, code)
  }

  /**
   * Notes that received bytes are freed, and tells the server when a quarter of the window is. Bytes of incomplete answers are not freed, so together
   * these never hold more than the connection's window.
   */
  returnWindow(bytes: number): void {
    this.returnedBytes += bytes
    if (this.returnedBytes < connectionWindow / 4 || this.isGone) return
    this.output.push(windowUpdateFrame(0, this.returnedBytes))
    this.receiveWindow += this.returnedBytes
    this.returnedBytes = 0
  }

  /** Checks the time limits of the requests, and how long the server has sent nothing. `now` is from `performance.now()`. */
  tick(now: number): void {
    for (const stream of this.streams.values()) {
      if (stream.deadline > now) continue
      stream.giveReply({ is: 'unanswered', why: 'timeout', reason: 'timeout' })
      this.resetStream(stream, errorCode.cancel)
    }
    this.patience.rest(now)
    if (!this.isGone) this.liveness.tick(this, now)
  }

  /** Begins no new streams. The connection ends together with its last open stream. */
  drain(reason: string, debug = ''): void {
    if (this.isDraining) return
    this.isDraining = true
    this.owner.draining(this, reason, debug)
    this.endWhenDone()
  }

  private endWhenDone(): void {
    if (this.streams.size > 0 || this.isGone) return
    this.sayGoAway(errorCode.noError)
    this.over('done')
  }

  /** Ends the connection with a GOAWAY that has this code: the server broke the protocol, or Herald's own code threw an error. */
  fail(code: number): void {
    if (this.isGone) return
    this.sayGoAway(code)
    this.over(errorName(code))
  }

  /** Ends the connection at once, without a GOAWAY. */
  lose(reason: string): void {
    if (this.isGone) return
    this.over(reason)
    this.socket.destroy()
  }

  private sayGoAway(code: number): void {
    // The stream number is 0, because a GOAWAY names the last stream of the other end that was processed, and a server opens no streams.
    this.output.push(goAwayFrame(0, code, ''))
    this.output.flush()
    this.socket.end()
    // The server has 2 s to close its side.
    const linger = setTimeout(() => this.socket.destroy(), 2_000).unref()
    this.socket.on('close', () => clearTimeout(linger))
  }

  /** Gives every stream its reply. A request that was written may have arrived; one that was not written surely has not. */
  private over(reason: string): void {
    this.isGone = true
    this.isDraining = true
    for (const stream of this.streams.values()) {
      const wasWritten = stream.begunAtWrite !== this.output.writes
      stream.giveReply(wasWritten ? { is: 'unanswered', why: 'broken', reason } : { is: 'refused', reason })
    }
    this.output.close()
    this.streams.clear()
    this.waiting.clear()
    this.owner.gone(this, reason)
  }
}
