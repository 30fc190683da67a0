import type { Duplex } from 'node:stream'
import {
  checkPriority,
  ConnectionError,
  defaultWindow,
  errorCode,
  errorName,
  fail,
  frameType,
  goAwayFrame,
  maxStreamId,
} from '../frames.ts'
import { preface, resetFrame, settingsFrame, splitFrames, windowUpdateFrame, setting } from '../frames.ts'
import { HpackDecoder } from '../hpack/decoder.ts'
import { AbandonedStreams } from './abandoned-streams.ts'
import { connectionWindow, headerListLimits, type Limits } from './limits.ts'
import { Output } from './output.ts'
import { Patience } from './patience.ts'
import { Liveness } from './ping.ts'
import { receiveContinuation, receiveHeaders, type HeaderBlock } from './receive-headers.ts'
import { receiveData } from './receive-data.ts'
import { receiveGoAway } from './receive-goaway.ts'
import { receiveRstStream } from './receive-rst-stream.ts'
import { receiveSettings } from './receive-settings.ts'
import { receiveWindowUpdate, returnWindow } from './flow-control.ts'
import { RequestEncoder } from './request-block.ts'
import { AnswerFields } from './answer-fields.ts'
import { errorWord } from './reply.ts'
import { sendRequest } from './send-request.ts'
import type { Stream } from './stream.ts'

/** Whoever opened a connection hears of it. */
export type Owner = {
  /** There may be room for more streams than before. */
  roomier: () => void
  /** It takes no new streams: GOAWAY, or its numbers are used up. The open ones go on. */
  draining: (connection: Connection, reason: string) => void
  /** It is over, and every stream has its reply. */
  gone: (connection: Connection, reason: string) => void
}

/** Our SETTINGS (RFC 9113 section 6.5.2). The rest are the defaults: a header table of 4,096 bytes, windows of 65,535, frames of 16,384. */
const ourSettings = settingsFrame([
  [setting.enablePush, 0],
  [setting.maxConcurrentStreams, 0],
  [setting.maxHeaderListSize, headerListLimits.bytes],
])

/**
 * One HTTP/2 connection as a client (RFC 9113). This file is its life and its state; each frame has the file of its name: `receive-goaway.ts`, `receive-headers.ts`, …
 * What is sent: `send-request.ts`, `flow-control.ts`, `ping.ts`.
 */
export class Connection {
  readonly limits: Limits
  readonly owner: Owner
  readonly output: Output
  readonly streams = new Map<number, Stream>()
  /** Streams whose body waits for a window. */
  readonly waiting = new Set<Stream>()
  readonly abandoned = new AbandonedStreams()
  readonly encoder = new RequestEncoder()
  readonly decoder = new HpackDecoder(headerListLimits)
  readonly answerFields = new AnswerFields()
  readonly liveness: Liveness
  readonly patience = new Patience()

  /** The peer's settings that matter to us. Until its SETTINGS have come, nothing is begun. */
  sawSettings = false
  peerMaxConcurrentStreams = Infinity
  peerInitialWindow = defaultWindow
  /** What the peer may be sent on all streams together, and what it may still send us. */
  sendWindow = defaultWindow
  receiveWindow = connectionWindow
  /** Received bytes that are not held any more and that the peer was not told of yet. */
  returnedBytes = 0

  nextStreamId = 1
  /** The last stream that the peer may still answer, once it said GOAWAY. */
  goneAfter: number | undefined
  isDraining = false
  isGone = false
  /** A header block that waits for its CONTINUATION. */
  headerBlock: HeaderBlock | undefined
  /** Whole answers so far. */
  answers = 0
  private readonly socket: Duplex

  /** Speak HTTP/2 on a socket that is connected and agreed on h2. */
  constructor(socket: Duplex, limits: Limits, owner: Owner, now: number) {
    this.socket = socket
    this.limits = limits
    this.owner = owner
    this.liveness = new Liveness(now, limits)
    const roomier = () => owner.roomier()
    this.output = new Output(socket, limits.bufferedBytes, roomier, () => this.lose('ENHANCE_YOUR_CALM'))
    this.output.push(preface)
    this.output.push(ourSettings)
    this.output.push(windowUpdateFrame(0, connectionWindow - defaultWindow))
    socket.on('data', (bytes: Buffer) => this.read(bytes))
    socket.on('error', (error) => this.lose(errorWord(error)))
    socket.on('end', () => this.lose('closed'))
    socket.on('close', () => this.lose('closed'))
  }

  /** How many more streams can be begun now. */
  room(): number {
    if (!this.sawSettings || this.isDraining || this.isGone || this.output.isBlocked) return 0
    // Without a window for the body, a new stream would only wait here; elsewhere it may not have to.
    if (this.sendWindow <= 0) return 0
    return Math.min(this.peerMaxConcurrentStreams, this.limits.streams) - this.streams.size
  }

  /** Send a request. The caller has seen that there is room. */
  open(stream: Stream): void {
    sendRequest(this, stream)
    if (this.nextStreamId > Math.min(maxStreamId, 2 * this.limits.requestsPerConnection)) this.drain('stream numbers used up')
  }

  /** The number of a new stream: odd, and higher than any before (RFC 9113 section 5.1.1). */
  takeStreamId(): number {
    const id = this.nextStreamId
    this.nextStreamId += 2
    return id
  }

  /** Whether a stream is none that we have opened. */
  isIdle(streamId: number): boolean {
    return streamId >= this.nextStreamId || streamId % 2 === 0
  }

  private read(bytes: Buffer): void {
    if (this.isGone) return
    this.liveness.received(performance.now())
    try {
      this.split(bytes)
    } catch (error) {
      this.fail(error instanceof ConnectionError ? error.code : errorCode.internalError)
      if (!(error instanceof ConnectionError)) throw error
    }
  }

  private readonly split = splitFrames((type, flags, streamId, buffer, start, end) => {
    if (this.isGone) return
    if (this.headerBlock && (type !== frameType.continuation || streamId !== this.headerBlock.streamId))
      fail('a header block was not continued')
    if (!this.sawSettings && type !== frameType.settings) fail('the first frame was not SETTINGS')
    if (type === frameType.headers) receiveHeaders(this, flags, streamId, buffer, start, end)
    else if (type === frameType.data) receiveData(this, flags, streamId, buffer, start, end)
    else if (type === frameType.windowUpdate) receiveWindowUpdate(this, streamId, buffer, start, end)
    else if (type === frameType.settings) receiveSettings(this, flags, streamId, buffer, start, end)
    else if (type === frameType.ping) this.liveness.receivePing(this, flags, streamId, buffer, start, end)
    else if (type === frameType.goAway) receiveGoAway(this, streamId, buffer, start, end)
    else if (type === frameType.resetStream) receiveRstStream(this, streamId, buffer, start, end)
    else if (type === frameType.continuation) receiveContinuation(this, flags, buffer, start, end)
    else if (type === frameType.pushPromise) fail('PUSH_PROMISE, which our SETTINGS forbid')
    else {
      if (type === frameType.priority) checkPriority(streamId, end - start)
      // A frame of a type that no standard knows has no meaning here (RFC 9113 section 5.5).
      this.patience.spend()
    }
  })

  /** A stream has its reply, or nobody waits for it: forget it. */
  closeStream(stream: Stream): void {
    this.streams.delete(stream.id)
    this.waiting.delete(stream)
    returnWindow(this, stream.windowBytes)
    if (this.isDraining) this.endWhenDone()
    else this.owner.roomier()
  }

  /** Break a stream off (RST_STREAM). What the peer still sends on it is passed over. */
  resetStream(stream: Stream, code: number): void {
    this.output.push(resetFrame(stream.id, code))
    this.abandoned.add(stream.id)
    this.closeStream(stream)
  }

  /** The peer broke a rule in one answer: that stream ends, the others go on. */
  failStream(stream: Stream, code: number): void {
    stream.settle({ is: 'unanswered', why: 'broken', reason: errorName(code) })
    this.resetStream(stream, code)
  }

  /** Look at time limits: of the requests, and of the peer's silence. `now` is performance.now(). */
  tick(now: number): void {
    for (const stream of this.streams.values()) {
      if (stream.deadline > now) continue
      stream.settle({ is: 'unanswered', why: 'timeout', reason: 'timeout' })
      this.resetStream(stream, errorCode.cancel)
    }
    this.patience.rest(now)
    if (!this.isGone) this.liveness.tick(this, now)
  }

  /** Begin no new streams; the connection ends with the last open one. */
  drain(reason: string): void {
    if (this.isDraining) return
    this.isDraining = true
    this.owner.draining(this, reason)
    this.endWhenDone()
  }

  private endWhenDone(): void {
    if (this.streams.size > 0 || this.isGone) return
    this.sayGoAway(errorCode.noError)
    this.over('done')
  }

  /** The peer broke the protocol: say so, and end. */
  private fail(code: number): void {
    if (this.isGone) return
    this.sayGoAway(code)
    this.over(errorName(code))
  }

  /** The connection is broken: end without a word. */
  lose(reason: string): void {
    if (this.isGone) return
    this.over(reason)
    this.socket.destroy()
  }

  private sayGoAway(code: number): void {
    // We take no streams of the peer's, so 0 is the last one we processed.
    this.output.push(goAwayFrame(0, code, ''))
    this.output.flush()
    this.socket.end()
    // A peer that does not close its side within 2 s is not waited for.
    const linger = setTimeout(() => this.socket.destroy(), 2_000).unref()
    this.socket.on('close', () => clearTimeout(linger))
  }

  /** Every stream gets its reply: of what was written nobody knows whether it arrived; what was not written surely did not. */
  private over(reason: string): void {
    this.isGone = true
    this.isDraining = true
    for (const stream of this.streams.values()) {
      const wasWritten = stream.begunAtWrite !== this.output.writes
      stream.settle(wasWritten ? { is: 'unanswered', why: 'broken', reason } : { is: 'refused', reason })
    }
    this.output.close()
    this.streams.clear()
    this.waiting.clear()
    this.owner.gone(this, reason)
  }
}
