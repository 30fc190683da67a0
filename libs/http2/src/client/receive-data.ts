import { errorCode, fail, flag, unpad } from '../frames.ts'
import type { Connection } from './connection.ts'
import { receiveFlowControlled, widenStream } from './flow-control.ts'
import { receiveEnd } from './receive-headers.ts'
import type { Stream } from './stream.ts'

/** Reads a DATA frame (RFC 9113 section 6.1): a part of an answer's body. Padding counts for the windows too. */
export function receiveData(connection: Connection, flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
  const size = end - start
  if (streamId === 0) fail('DATA without a stream')
  if (connection.isIdle(streamId)) fail('DATA on a stream that we did not open')
  receiveFlowControlled(connection, size)
  const endsStream = (flags & flag.endStream) !== 0
  const range = unpad(flags, buffer, start, end)
  const stream = connection.streams.get(streamId)
  if (!stream) {
    if (!connection.abandoned.has(streamId)) fail('DATA on a closed stream', errorCode.streamClosed)
    connection.returnWindow(size)
    return endsStream ? connection.abandoned.end(streamId) : connection.patience.spend()
  }
  stream.windowBytes += size
  stream.receiveWindow -= size
  if (stream.status === 0) return connection.failStream(stream, errorCode.protocolError)

  const bytes = range.end - range.start
  if (bytes === 0 && !endsStream) connection.patience.spend()
  const room = connection.limits.bodyBytes - stream.bodyBytes
  keep(stream, buffer, range.start, Math.min(range.end, range.start + room))
  if (bytes > room) return cutAnswer(connection, stream, endsStream)
  if (endsStream) receiveEnd(connection, stream)
  else widenStream(connection, stream)
}

/** Appends a part to the body. The body has one buffer that doubles, not one for each frame, because a server could send one byte in each frame. */
function keep(stream: Stream, buffer: Buffer, start: number, end: number): void {
  const needed = stream.bodyBytes + end - start
  if (needed > stream.body.length) {
    const larger = Buffer.allocUnsafe(stream.bodyBytes === 0 ? needed : Math.max(needed, 2 * stream.body.length))
    stream.body.copy(larger, 0, 0, stream.bodyBytes)
    stream.body = larger
  }
  buffer.copy(stream.body, stream.bodyBytes, start, end)
  stream.bodyBytes = needed
}

/**
 * Cuts an answer whose body is too long. Its status says what became of the request, so the answer counts, with the part of the body that was read.
 */
function cutAnswer(connection: Connection, stream: Stream, endsStream: boolean): void {
  connection.answers++
  connection.patience.answered()
  stream.giveReply({ is: 'answered', status: stream.status, headers: stream.headers, body: stream.body.subarray(0, stream.bodyBytes) })
  if (endsStream && !stream.unsentBody) connection.closeStream(stream)
  else connection.resetStream(stream, errorCode.cancel)
}
