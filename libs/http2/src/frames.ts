/** The frame layer of HTTP/2 (RFC 9113 sections 4 and 6). */

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const flag = { endStream: 1, acknowledge: 1, endHeaders: 4, padded: 8, priority: 32 } as const

export const setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const

export const errorCode = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  settingsTimeout: 4,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  connectError: 10,
  enhanceYourCalm: 11,
  inadequateSecurity: 12,
  http11Required: 13,
} as const

/** The names of the error codes by number (RFC 9113 section 7). */
const errorNames = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
]

/** Gives the name of an error code. An unknown code counts as INTERNAL_ERROR, as section 7 allows. */
export const errorName = (code: number): string => errorNames[code] ?? 'INTERNAL_ERROR'

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
export const maxFrameSize = 16_384
export const headerLength = 9

/** The window with which a connection starts, and a stream too unless SETTINGS say otherwise (RFC 9113 section 6.9.2). */
export const defaultWindow = 65_535
/** The largest window that is allowed (RFC 9113 section 6.9.1). */
export const maxWindow = 0x7fffffff
/** The highest stream number: it has 31 bits (RFC 9113 section 5.1.1). */
export const maxStreamId = 0x7fffffff

/** The other end broke the protocol. The connection ends with a GOAWAY that has this code. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Writes the nine bytes before a frame's payload (RFC 9113 section 4.1). Gives the index at which the payload begins. */
export function writeFrameHeader(buffer: Buffer, start: number, length: number, type: number, flags: number, streamId: number): number {
  buffer[start] = length >>> 16
  buffer[start + 1] = length >>> 8
  buffer[start + 2] = length
  buffer[start + 3] = type
  buffer[start + 4] = flags
  buffer[start + 5] = streamId >>> 24
  buffer[start + 6] = streamId >>> 16
  buffer[start + 7] = streamId >>> 8
  buffer[start + 8] = streamId
  return start + headerLength
}

export function frame(type: number, flags: number, streamId: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(headerLength + payload.length)
  payload.copy(bytes, writeFrameHeader(bytes, 0, payload.length, type, flags, streamId))
  return bytes
}

export function settingsFrame(values: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(values.length * 6)
  for (const [position, [id, value]] of values.entries()) {
    payload.writeUInt16BE(id, position * 6)
    payload.writeUInt32BE(value, position * 6 + 2)
  }
  return frame(frameType.settings, 0, 0, payload)
}

export const settingsAcknowledged = frame(frameType.settings, flag.acknowledge, 0, Buffer.alloc(0))

export function windowUpdateFrame(streamId: number, increment: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(increment)
  return frame(frameType.windowUpdate, 0, streamId, payload)
}

export function resetFrame(streamId: number, code: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(code)
  return frame(frameType.resetStream, 0, streamId, payload)
}

export function goAwayFrame(lastStreamId: number, code: number, debug: string): Buffer {
  const payload = Buffer.alloc(8 + Buffer.byteLength(debug))
  payload.writeUInt32BE(lastStreamId, 0)
  payload.writeUInt32BE(code, 4)
  payload.write(debug, 8)
  return frame(frameType.goAway, 0, 0, payload)
}

/** Takes one frame, as a range of a buffer that is valid only during the call. */
export type OnFrame = (type: number, flags: number, streamId: number, buffer: Buffer, start: number, end: number) => void

/**
 * Splits a byte stream into frames. The returned function takes the next bytes; a payload over 16,384 bytes throws FRAME_SIZE_ERROR. A frame in parts
 * is collected in one buffer.
 */
export function splitFrames(onFrame: OnFrame): (bytes: Buffer) => void {
  let gathered: Buffer | undefined
  let length = 0

  /** Copies from `bytes`, beginning at `from`, until `into` has `wanted` bytes. Gives the index of the first byte that was not copied. */
  const gather = (into: Buffer, bytes: Buffer, from: number, wanted: number): number => {
    const end = Math.min(bytes.length, from + Math.max(0, wanted - length))
    bytes.copy(into, length, from, end)
    length += end - from
    return end
  }

  return (bytes) => {
    let position = 0
    if (length > 0 && gathered) {
      position = gather(gathered, bytes, 0, headerLength)
      if (length < headerLength) return
      const whole = headerLength + lengthAt(gathered, 0)
      position = gather(gathered, bytes, position, whole)
      if (length < whole) return
      length = 0
      emit(onFrame, gathered, 0, whole)
    }
    while (bytes.length - position >= headerLength) {
      const end = position + headerLength + lengthAt(bytes, position)
      if (end > bytes.length) break
      emit(onFrame, bytes, position, end)
      position = end
    }
    if (position < bytes.length) {
      gathered ??= Buffer.allocUnsafeSlow(headerLength + maxFrameSize)
      gather(gathered, bytes, position, gathered.length)
    }
  }
}

function lengthAt(buffer: Buffer, position: number): number {
  const length = ((buffer[position] as number) << 16) | ((buffer[position + 1] as number) << 8) | (buffer[position + 2] as number)
  if (length > maxFrameSize) throw new ConnectionError(errorCode.frameSizeError, `frame of ${length} bytes`)
  return length
}

function emit(onFrame: OnFrame, buffer: Buffer, position: number, end: number): void {
  const streamId = buffer.readUInt32BE(position + 5) & 0x7fffffff
  onFrame(buffer[position + 3] as number, buffer[position + 4] as number, streamId, buffer, position + headerLength, end)
}

/** Throws the error that ends the connection because the other end broke the protocol. */
export function fail(message: string, code: number = errorCode.protocolError): never {
  throw new ConnectionError(code, message)
}

/** Gives the range of the payload without its padding (RFC 9113 section 6.1). */
export function unpad(flags: number, buffer: Buffer, start: number, end: number): { start: number; end: number } {
  if (!(flags & flag.padded)) return { start, end }
  if (end === start) fail('padding without a length', errorCode.frameSizeError)
  const range = { start: start + 1, end: end - (buffer[start] as number) }
  if (range.end < range.start) fail('more padding than payload')
  return range
}

/** Checks the form of a PRIORITY frame. Its content has no meaning any more (RFC 9113 section 5.3.2). */
export function checkPriority(streamId: number, size: number): void {
  if (streamId === 0) fail('PRIORITY without a stream')
  if (size !== 5) fail('PRIORITY of a wrong size', errorCode.frameSizeError)
}

/** Checks the form of a GOAWAY frame (RFC 9113 section 6.8). */
export function checkGoAway(streamId: number, size: number): void {
  if (streamId !== 0) fail('GOAWAY on a stream')
  if (size < 8) fail('GOAWAY of a wrong size', errorCode.frameSizeError)
}

/** Makes a function that checks that a connection's bytes begin with the client's preface (RFC 9113 section 3.4), and gives the bytes after it. */
export function expectPreface(): (bytes: Buffer) => Buffer {
  let seen = 0
  return (bytes) => {
    if (seen === preface.length) return bytes
    const length = Math.min(preface.length - seen, bytes.length)
    if (!bytes.subarray(0, length).equals(preface.subarray(seen, seen + length))) fail('no preface')
    seen += length
    return bytes.subarray(length)
  }
}
