import type { Duplex } from 'node:stream'
import { defaultWindow, errorCode, fail, flag, frame, frameType, maxFrameSize, maxWindow, setting } from '../frames.ts'
import { writeLiteral } from '../hpack/encoder.ts'
import { writeInteger } from '../hpack/integer.ts'
import { staticTable } from '../hpack/static-table.ts'
import type { Answer } from './request.ts'
import type { Stream } from './stream.ts'

/** The sending half of a server's connection: collects frames into few writes, and obeys the windows and settings of the client. */
export class Sender {
  /** How many bytes may be sent on a new stream before its client allows more. */
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

  /** Makes all frames wait until `release`, so that the frames that answer one read are written together. */
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

  /** Sends an answer. The part that the windows do not allow yet stays in `stream.unsent`. */
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

  /** Applies one setting of the client (RFC 9113 section 6.5.2). Settings that do not concern what the server sends are ignored. */
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

const scratch = Buffer.alloc(16_384)
const statusIndexes = new Map(
  staticTable.flatMap((field, position) => (field.name === ':status' ? [[Number(field.value), position + 1] as const] : [])),
)

/**
 * Encodes an answer's header block without the dynamic table. `resetTable` begins it with "table size 0", for a client that lowered
 * SETTINGS_HEADER_TABLE_SIZE (RFC 7541 section 4.2). Valid until the next call. Throws over 16,384 bytes.
 */
export function encodeAnswerBlock(status: number, headers: Readonly<Record<string, string>>, resetTable: boolean): Buffer {
  let end = 0
  if (resetTable) scratch[end++] = 0x20
  const statusIndex = statusIndexes.get(status)
  if (statusIndex) end = writeInteger(scratch, end, 0x80, 7, statusIndex)
  else end = writeLiteral(scratch, end, 0, 4, ':status', String(status))
  for (const name in headers) {
    const value = headers[name] as string
    if (end + name.length + value.length + 18 > scratch.length) throw new Error('the headers of an answer are over 16,384 bytes')
    end = writeLiteral(scratch, end, 0, 4, name, value)
  }
  return scratch.subarray(0, end)
}
