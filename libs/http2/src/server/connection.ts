import type { Duplex } from 'node:stream'
import {
  checkGoAway,
  checkPriority,
  ConnectionError,
  defaultWindow,
  errorCode,
  expectPreface,
  fail,
  flag,
  frame,
  frameType,
  goAwayFrame,
  maxWindow,
  resetFrame,
  setting,
  settingsAcknowledged,
  settingsFrame,
  splitFrames,
  unpad,
  windowUpdateFrame,
} from '../frames.ts'
import { HpackDecoder } from '../hpack/decoder.ts'
import { ReceiveWindow } from './receive-window.ts'
import type { Answer, Http2Options } from './request.ts'
import { Sender } from './sender.ts'
import { maxBodyBytes, newStream, takeFields, takeTrailers, toRequest, type Stream } from './stream.ts'

/** How long a late connection waits before it opens the window of a stream. */
const lateMs = 20
const maxHeaderList = { fields: 256, bytes: 65_536 }

class Http2Connection {
  private readonly socket: Duplex
  private readonly options: Http2Options
  private readonly sender: Sender
  private readonly decoder = new HpackDecoder(maxHeaderList)
  private readonly streams = new Map<number, Stream>()
  /** The streams that the server reset while their client was still sending. */
  private readonly abandoned = new Set<number>()
  private readonly split = splitFrames((type, flags, streamId, buffer, start, end) =>
    this.takeFrame(type, flags, streamId, buffer, start, end),
  )
  private readonly takePreface = expectPreface()
  private sawSettings = false
  private lastStreamId = 0
  private requests = 0
  /** The last stream that the server's GOAWAY promised to answer. */
  private goneAfter: number | undefined
  private readonly window: ReceiveWindow
  private readonly isLate: boolean
  private headerBlock: { stream: Stream; isNew: boolean; parts: Buffer[]; bytes: number; endsStream: boolean } | undefined

  constructor(socket: Duplex, options: Http2Options) {
    this.socket = socket
    this.options = options
    this.sender = new Sender(socket)
    this.window = new ReceiveWindow(this.sender, options.isStalled)
    this.isLate = options.isLate?.() ?? false
    this.sender.push(
      settingsFrame([
        [setting.maxConcurrentStreams, options.maxConcurrentStreams],
        [setting.maxHeaderListSize, maxHeaderList.bytes],
        ...(this.isLate ? [[setting.initialWindowSize, 0] as const] : []),
      ]),
    )
  }

  /** Is called when the socket has closed. Forgets the open streams, so answers that come later are dropped. */
  forget(): void {
    this.window.forget()
    this.streams.clear()
  }

  read(bytes: Buffer): void {
    this.sender.hold()
    try {
      this.split(this.takePreface(bytes))
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
      this.options.onProtocolError(error.message)
      this.sender.push(goAwayFrame(this.lastStreamId, error.code, error.message))
      this.streams.clear()
      this.socket.removeAllListeners('data')
      this.socket.resume()
      setImmediate(() => this.socket.end())
    }
    this.sender.release()
  }

  private takeFrame(type: number, flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
    if (this.headerBlock && (type !== frameType.continuation || streamId !== this.headerBlock.stream.id))
      fail('a header block was not continued')
    if (!this.sawSettings && type !== frameType.settings) fail('the first frame was not SETTINGS')
    if (type === frameType.headers) this.takeHeaders(flags, streamId, buffer, start, end)
    else if (type === frameType.data) this.takeData(flags, streamId, buffer, start, end)
    else if (type === frameType.windowUpdate) this.takeWindowUpdate(streamId, buffer, start, end)
    else if (type === frameType.continuation) this.takeContinuation(flags, buffer, start, end)
    else if (type === frameType.resetStream) this.takeReset(streamId, end - start)
    else if (type === frameType.settings) this.takeSettings(flags, streamId, buffer, start, end)
    else if (type === frameType.ping) this.takePing(flags, streamId, buffer, start, end)
    else if (type === frameType.priority) checkPriority(streamId, end - start)
    else if (type === frameType.goAway) checkGoAway(streamId, end - start)
    else if (type === frameType.pushPromise) fail('PUSH_PROMISE from a client')
  }

  private takeHeaders(flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
    const range = unpad(flags, buffer, start, end)
    if (flags & flag.priority) range.start += 5
    if (range.start > range.end) fail('HEADERS too short', errorCode.frameSizeError)
    if (streamId % 2 === 0) fail('HEADERS on an even stream')

    let stream = this.streams.get(streamId)
    const isNew = !stream && streamId > this.lastStreamId
    if (isNew) this.lastStreamId = streamId
    else if (!stream && !this.abandoned.has(streamId) && this.goneAfter === undefined)
      fail('HEADERS on a closed stream', errorCode.streamClosed)
    else if (stream?.isEnded) fail('HEADERS after the end of a stream', errorCode.streamClosed)
    else if (!isNew && !(flags & flag.endStream)) fail('trailers without END_STREAM')
    stream ??= newStream(streamId, this.sender.streamWindow)

    const endsStream = (flags & flag.endStream) !== 0
    if (flags & flag.endHeaders) {
      this.finishHeaders(stream, isNew, endsStream, buffer, range.start, range.end)
      return
    }
    const part = Buffer.from(buffer.subarray(range.start, range.end))
    this.headerBlock = { stream, isNew, parts: [part], bytes: part.length, endsStream }
  }

  private takeContinuation(flags: number, buffer: Buffer, start: number, end: number): void {
    const block = this.headerBlock
    if (!block) return fail('CONTINUATION of nothing')
    block.parts.push(Buffer.from(buffer.subarray(start, end)))
    block.bytes += end - start
    if (block.bytes > maxHeaderList.bytes) fail('header block too large', errorCode.enhanceYourCalm)
    if (!(flags & flag.endHeaders)) return
    this.headerBlock = undefined
    const whole = Buffer.concat(block.parts)
    this.finishHeaders(block.stream, block.isNew, block.endsStream, whole, 0, whole.length)
  }

  private finishHeaders(stream: Stream, isNew: boolean, endsStream: boolean, buffer: Buffer, start: number, end: number): void {
    // The block is decoded even for streams that are not served, because all streams share the decoder's table.
    const fits = this.decoder.decode(buffer, start, end, isNew ? takeFields(stream) : takeTrailers(stream))
    if (!fits) fail('header list too large', errorCode.enhanceYourCalm)
    if (isNew) {
      if (this.goneAfter !== undefined) return
      const brokenOff = this.whyBrokenOff()
      if (brokenOff !== undefined) {
        this.sender.push(resetFrame(stream.id, brokenOff))
        if (!endsStream) this.abandoned.add(stream.id)
        return
      }
      this.streams.set(stream.id, stream)
      if (this.isLate && !endsStream) this.openLate(stream)
    }
    if (endsStream) this.finishRequest(stream)
  }

  /** Opens the window of a stream after a while. What the client sends before its SETTINGS have arrived is within the usual window, so it is no error. */
  private openLate(stream: Stream): void {
    setTimeout(() => {
      if (this.streams.get(stream.id) === stream && !stream.isEnded) this.sender.push(windowUpdateFrame(stream.id, stream.receiveWindow))
    }, lateMs)
  }

  /** Gives the error code with which a new request is reset before it is processed; undefined when it is served. */
  private whyBrokenOff(): number | undefined {
    if (this.streams.size >= this.options.maxConcurrentStreams || this.options.isRefused()) return errorCode.refusedStream
    return this.options.isReset?.() ? errorCode.internalError : undefined
  }

  private takeData(flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
    const size = end - start
    this.window.take(size)
    const stream = this.streams.get(streamId)
    if (!stream) {
      if (streamId === 0 || streamId > this.lastStreamId) fail('DATA on an idle stream')
      if (flags & flag.endStream) this.abandoned.delete(streamId)
      return
    }
    if (stream.isEnded) fail('DATA after the end of a stream', errorCode.streamClosed)
    const range = unpad(flags, buffer, start, end)
    stream.receiveWindow -= size
    stream.receivedBytes += size
    if (stream.receiveWindow < 0) fail('a stream window was exceeded', errorCode.flowControlError)
    if (stream.receivedBytes > maxBodyBytes) return this.abandon(stream, errorCode.enhanceYourCalm)
    const endsStream = (flags & flag.endStream) !== 0
    const part = buffer.subarray(range.start, range.end)
    // A body in one frame, as nearly every push has, is served from the read buffer without a copy.
    if (part.length) stream.chunks.push(endsStream ? part : Buffer.from(part))
    if (endsStream) this.finishRequest(stream)
    else if (stream.receiveWindow < defaultWindow / 2) {
      this.sender.push(windowUpdateFrame(streamId, defaultWindow - stream.receiveWindow))
      stream.receiveWindow = defaultWindow
    }
  }

  private finishRequest(stream: Stream): void {
    this.abandoned.delete(stream.id)
    if (!this.streams.has(stream.id)) return
    stream.isEnded = true
    const request = toRequest(stream)
    if (typeof request === 'string') {
      this.options.onProtocolError(request)
      return this.abandon(stream, errorCode.protocolError)
    }
    const answer = this.options.serve(request)
    stream.chunks = []
    this.requests++
    if (answer.ending !== 'silence') {
      if (answer.delayMs) setTimeout(() => this.answer(stream, answer), answer.delayMs)
      else this.answer(stream, answer)
    }
    if (this.goneAfter === undefined && this.options.isGoingAway(this.requests)) this.goAway()
  }

  private answer(stream: Stream, answer: Answer): void {
    // The client may have reset the stream meanwhile.
    if (!this.streams.has(stream.id)) return
    if (answer.ending === 'reset') return this.abandon(stream, errorCode.internalError)
    this.sender.answer(stream, answer)
    if (!stream.unsent) this.close(stream)
  }

  private sendWaiting(streams: Iterable<Stream>): void {
    for (const stream of streams) {
      if (!stream.unsent) continue
      this.sender.sendBody(stream)
      if (!stream.unsent) this.close(stream)
    }
  }

  private abandon(stream: Stream, code: number): void {
    this.sender.push(resetFrame(stream.id, code))
    if (!stream.isEnded) this.abandoned.add(stream.id)
    this.close(stream)
  }

  private close(stream: Stream): void {
    this.streams.delete(stream.id)
    this.endWhenDone()
  }

  /** Tells the client that the requests begun so far are answered and later ones are not. The connection ends when all are answered. */
  goAway(): void {
    this.goneAfter = this.lastStreamId
    this.sender.push(goAwayFrame(this.lastStreamId, errorCode.noError, ''))
    this.endWhenDone()
  }

  private endWhenDone(): void {
    if (this.goneAfter === undefined || this.streams.size > 0) return
    setImmediate(() => this.socket.end())
  }

  private takeReset(streamId: number, size: number): void {
    if (size !== 4) fail('RST_STREAM of a wrong size', errorCode.frameSizeError)
    if (streamId === 0 || streamId > this.lastStreamId) fail('RST_STREAM on an idle stream')
    this.abandoned.delete(streamId)
    const stream = this.streams.get(streamId)
    if (stream) this.close(stream)
  }

  private takeWindowUpdate(streamId: number, buffer: Buffer, start: number, end: number): void {
    if (end - start !== 4) fail('WINDOW_UPDATE of a wrong size', errorCode.frameSizeError)
    const increment = buffer.readUInt32BE(start) & maxWindow
    if (streamId === 0) {
      if (increment === 0) fail('WINDOW_UPDATE of 0')
      this.sender.widen(increment)
      return this.sendWaiting(this.streams.values())
    }
    if (streamId > this.lastStreamId) fail('WINDOW_UPDATE on an idle stream')
    const stream = this.streams.get(streamId)
    if (!stream) return
    if (increment === 0) return this.abandon(stream, errorCode.protocolError)
    stream.sendWindow += increment
    if (stream.sendWindow > maxWindow) return this.abandon(stream, errorCode.flowControlError)
    this.sendWaiting([stream])
  }

  private takeSettings(flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
    if (streamId !== 0) fail('SETTINGS on a stream')
    if ((end - start) % 6 !== 0 || (flags & flag.acknowledge && end > start)) fail('SETTINGS of a wrong size', errorCode.frameSizeError)
    if (flags & flag.acknowledge) {
      this.window.openFirst()
      return
    }
    this.sawSettings = true
    for (let position = start; position < end; position += 6)
      this.sender.takeSetting(buffer.readUInt16BE(position), buffer.readUInt32BE(position + 2), this.streams.values())
    this.sender.push(settingsAcknowledged)
    this.sendWaiting(this.streams.values())
  }

  private takePing(flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
    if (streamId !== 0) fail('PING on a stream')
    if (end - start !== 8) fail('PING of a wrong size', errorCode.frameSizeError)
    if (!(flags & flag.acknowledge)) this.sender.push(frame(frameType.ping, flag.acknowledge, 0, buffer.subarray(start, end)))
  }
}

/**
 * Serves HTTP/2 on a new connection (RFC 9113) and calls `options.serve` for each complete request, in the order of their last frames. Reads and
 * writes frames itself: under 10 µs a request, where node:http2 takes 110 µs.
 */
export function serveHttp2(socket: Duplex, options: Http2Options): void {
  const connection = new Http2Connection(socket, options)
  socket.on('data', (bytes: Buffer) => connection.read(bytes))
  socket.on('close', () => connection.forget())
}
