import type { Duplex } from 'node:stream'
import { defaultWindow, errorCode, fail, flag, frame, frameType, maxFrameSize, maxWindow, setting } from '../frames.ts'
import { encodeAnswerBlock } from './answer-block.ts'
import type { Answer } from './request.ts'
import type { Stream } from './stream.ts'

/** The sending half of a connection: gathers frames into few writes and keeps to the windows and settings of the peer. */
export class Sender {
  /** What a new stream may be sent before its client says more. */
  streamWindow = defaultWindow
  private readonly socket: Duplex
  private window = defaultWindow
  private frameSize = maxFrameSize
  private mustResetTable = false
  private output: Buffer[] = []
  private isHeld = false

  constructor(socket: Duplex) {
    this.socket = socket
  }

  push(...frames: Buffer[]): void {
    this.output.push(...frames)
    this.flush()
  }

  /** While a read is under way everything waits for its end: one write, one TLS record. */
  hold(): void {
    this.isHeld = true
  }

  release(): void {
    this.isHeld = false
    this.flush()
  }

  private flush(): void {
    if (this.isHeld || this.output.length === 0) return
    const bytes = this.output.length === 1 ? (this.output[0] as Buffer) : Buffer.concat(this.output)
    this.output = []
    if (this.socket.writable) this.socket.write(bytes)
  }

  /** Send an answer; what the windows do not admit yet stays in `stream.unsent`. */
  answer(stream: Stream, answer: Answer): void {
    const hasBody = answer.body !== ''
    const block = encodeAnswerBlock(answer.status, answer.headers, this.mustResetTable)
    this.mustResetTable = false
    this.output.push(frame(frameType.headers, flag.endHeaders | (hasBody ? 0 : flag.endStream), stream.id, block))
    if (hasBody) stream.unsent = Buffer.from(answer.body)
    this.sendBody(stream)
  }

  sendBody(stream: Stream): void {
    while (stream.unsent) {
      const size = Math.min(stream.unsent.length, this.window, stream.sendWindow, this.frameSize)
      if (size <= 0) break
      const isLast = size === stream.unsent.length
      this.output.push(frame(frameType.data, isLast ? flag.endStream : 0, stream.id, stream.unsent.subarray(0, size)))
      this.window -= size
      stream.sendWindow -= size
      stream.unsent = isLast ? undefined : stream.unsent.subarray(size)
    }
    this.flush()
  }

  widen(increment: number): void {
    this.window += increment
    if (this.window > maxWindow) fail('connection window over 2^31-1', errorCode.flowControlError)
  }

  /** Take one setting of the peer (RFC 9113 section 6.5.2); those that concern us alone are passed over. */
  takeSetting(id: number, value: number, streams: Iterable<Stream>): void {
    if (id === setting.headerTableSize) this.mustResetTable = value < 4096
    else if (id === setting.enablePush && value > 1) fail('SETTINGS_ENABLE_PUSH out of range')
    else if (id === setting.maxFrameSize) {
      if (value < maxFrameSize || value > 0xffffff) fail('SETTINGS_MAX_FRAME_SIZE out of range')
      this.frameSize = value
    } else if (id === setting.initialWindowSize) {
      if (value > maxWindow) fail('SETTINGS_INITIAL_WINDOW_SIZE out of range', errorCode.flowControlError)
      for (const stream of streams) stream.sendWindow += value - this.streamWindow
      this.streamWindow = value
    }
  }
}
