/**
 * Flow control (RFC 9113 sections 5.2 and 6.9): how many bytes may be on their way, on each stream and on all streams together, in both directions.
 * The number of bytes that may still be sent is a window.
 */
import { defaultWindow, errorCode, fail, flag, frameType, headerLength, maxFrameSize, maxWindow, windowUpdateFrame } from '../frames.ts'
import { writeFrameHeader } from '../frames.ts'
import type { Connection } from './connection.ts'
import type { Stream } from './stream.ts'

/**
 * Sends as much of a body as the windows of the stream and of the connection allow. While the server reads too slowly (`Output.isBlocked`) everything
 * waits, because a body is memory only once.
 */
export function sendBody(connection: Connection, stream: Stream): void {
  const { output } = connection
  let body = stream.unsentBody
  while (body) {
    const size = Math.min(body.length, connection.sendWindow, stream.sendWindow, maxFrameSize)
    if (size <= 0 || output.isBlocked) break
    const isLast = size === body.length
    const at = output.reserve(headerLength + size)
    const from = writeFrameHeader(output.buffer, at, size, frameType.data, isLast ? flag.endStream : 0, stream.id)
    body.copy(output.buffer, from, 0, size)
    output.commit(from + size)
    connection.sendWindow -= size
    stream.sendWindow -= size
    body = isLast ? undefined : body.subarray(size)
  }
  stream.unsentBody = body
  if (body) connection.waiting.add(stream)
  else connection.waiting.delete(stream)
}

/** Sends the waiting bodies, after a window became larger or the server has read what was written. */
export function sendWaiting(connection: Connection): void {
  for (const stream of connection.waiting) {
    if (connection.sendWindow <= 0 || connection.output.isBlocked) return
    if (stream.sendWindow > 0) sendBody(connection, stream)
  }
}

/** Reads a WINDOW_UPDATE frame (section 6.9): the server allows more bytes. */
export function receiveWindowUpdate(connection: Connection, streamId: number, buffer: Buffer, start: number, end: number): void {
  if (end - start !== 4) fail('WINDOW_UPDATE of a wrong size', errorCode.frameSizeError)
  if (streamId !== 0 && connection.isIdle(streamId)) fail('WINDOW_UPDATE on a stream that we did not open')
  const increment = buffer.readUInt32BE(start) & maxWindow
  if (streamId === 0) return widenConnection(connection, increment)
  const stream = connection.streams.get(streamId)
  if (!stream) return connection.patience.spend()
  if (increment === 0) return connection.failStream(stream, errorCode.protocolError)
  const opens = stream.sendWindow <= 0
  stream.sendWindow += increment
  if (stream.sendWindow > maxWindow) return connection.failStream(stream, errorCode.flowControlError)
  const before = connection.sendWindow
  if (stream.unsentBody) sendBody(connection, stream)
  // A WINDOW_UPDATE that lets the client send no byte counts as a frame that brings nothing (`patience.ts`), unless it opens the window of a body
  // that waits for the output.
  if (connection.sendWindow === before && !(opens && stream.unsentBody && connection.output.isBlocked)) connection.patience.spend()
}

function widenConnection(connection: Connection, increment: number): void {
  if (increment === 0) fail('WINDOW_UPDATE of 0')
  connection.sendWindow += increment
  if (connection.sendWindow > maxWindow) fail('connection window over 2^31-1', errorCode.flowControlError)
  const before = connection.sendWindow
  sendWaiting(connection)
  if (connection.sendWindow === before) connection.patience.spend()
  connection.owner.roomier()
}

/** Changes the windows of open streams when the server changes SETTINGS_INITIAL_WINDOW_SIZE. A window can become negative (section 6.9.2). */
export function changeInitialWindow(connection: Connection, initialWindow: number): void {
  const change = initialWindow - connection.peerInitialWindow
  connection.peerInitialWindow = initialWindow
  for (const stream of connection.streams.values()) {
    stream.sendWindow += change
    if (stream.sendWindow > maxWindow) fail('a stream window over 2^31-1', errorCode.flowControlError)
  }
}

/** Notes that DATA with this many bytes has come, so the server may send as many bytes fewer on this connection. */
export function receiveFlowControlled(connection: Connection, bytes: number): void {
  connection.receiveWindow -= bytes
  if (connection.receiveWindow < 0) fail('the connection window was exceeded', errorCode.flowControlError)
}

/**
 * Fills a stream's window again when at most half is left. It is checked after each frame of at most about a quarter of the window, so the window
 * stays positive. `Limits.bodyBytes` bounds the answer.
 */
export function widenStream(connection: Connection, stream: Stream): void {
  if (stream.receiveWindow > defaultWindow / 2) return
  connection.output.push(windowUpdateFrame(stream.id, defaultWindow - stream.receiveWindow))
  stream.receiveWindow = defaultWindow
}
