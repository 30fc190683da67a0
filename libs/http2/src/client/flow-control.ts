/** Flow control (RFC 9113 sections 5.2 and 6.9): what may be on its way, for each stream and for all of them together, in both directions. */
import { defaultWindow, errorCode, fail, flag, frameType, headerLength, maxFrameSize, maxWindow, windowUpdateFrame } from '../frames.ts'
import { writeFrameHeader } from '../frames.ts'
import type { Connection } from './connection.ts'
import { connectionWindow } from './limits.ts'
import type { Stream } from './stream.ts'

/** Send of a body what both windows and the frame size admit; the rest waits. */
export function sendBody(connection: Connection, stream: Stream): void {
  const { output } = connection
  let body = stream.unsentBody
  while (body) {
    const size = Math.min(body.length, connection.sendWindow, stream.sendWindow, maxFrameSize)
    if (size <= 0) break
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

/** A window became wider: send what waited for it. */
export function sendWaiting(connection: Connection): void {
  if (connection.sendWindow <= 0) return
  for (const stream of connection.waiting) {
    if (stream.sendWindow <= 0) continue
    sendBody(connection, stream)
    if (connection.sendWindow <= 0) return
  }
}

/** WINDOW_UPDATE (section 6.9): the peer has room for more. */
export function receiveWindowUpdate(connection: Connection, streamId: number, buffer: Buffer, start: number, end: number): void {
  if (end - start !== 4) fail('WINDOW_UPDATE of a wrong size', errorCode.frameSizeError)
  if (streamId !== 0 && connection.isIdle(streamId)) fail('WINDOW_UPDATE on a stream that we did not open')
  const increment = buffer.readUInt32BE(start) & maxWindow
  if (streamId === 0) return widenConnection(connection, increment)
  const stream = connection.streams.get(streamId)
  if (!stream) return connection.patience.spend()
  if (increment === 0) return connection.failStream(stream, errorCode.protocolError)
  stream.sendWindow += increment
  if (stream.sendWindow > maxWindow) return connection.failStream(stream, errorCode.flowControlError)
  const before = connection.sendWindow
  if (stream.unsentBody) sendBody(connection, stream)
  // A window that nobody waited for is for nothing; one that lets a byte go ends with the body.
  if (connection.sendWindow === before) connection.patience.spend()
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

/** SETTINGS_INITIAL_WINDOW_SIZE changes the windows of open streams by the difference, which can make them negative (section 6.9.2). */
export function changeInitialWindow(connection: Connection, initialWindow: number): void {
  const change = initialWindow - connection.peerInitialWindow
  connection.peerInitialWindow = initialWindow
  for (const stream of connection.streams.values()) {
    stream.sendWindow += change
    if (stream.sendWindow > maxWindow) fail('a stream window over 2^31-1', errorCode.flowControlError)
  }
}

/** DATA has come: the peer may send so much less on this connection. */
export function receiveFlowControlled(connection: Connection, bytes: number): void {
  connection.receiveWindow -= bytes
  if (connection.receiveWindow < 0) fail('the connection window was exceeded', errorCode.flowControlError)
}

/**
 * Bytes are not held any more: the peer may send as many again. Parts of answers that are not whole stay on its account, so that all answers of a connection together never
 * hold more than its window. Told in large steps, not per answer.
 */
export function returnWindow(connection: Connection, bytes: number): void {
  connection.returnedBytes += bytes
  if (connection.returnedBytes < connectionWindow / 4 || connection.isGone) return
  connection.output.push(windowUpdateFrame(0, connection.returnedBytes))
  connection.receiveWindow += connection.returnedBytes
  connection.returnedBytes = 0
}

/** Let the peer go on with an answer that is longer than half a window. It cannot use the window up before, because a frame is a quarter of it; the limit of a body's length ends it. */
export function widenStream(connection: Connection, stream: Stream): void {
  if (stream.receiveWindow > defaultWindow / 2) return
  connection.output.push(windowUpdateFrame(stream.id, defaultWindow - stream.receiveWindow))
  stream.receiveWindow = defaultWindow
}
