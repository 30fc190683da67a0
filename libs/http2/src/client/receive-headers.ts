import { contentLength } from '../fields.ts'
import { errorCode, fail, flag, unpad } from '../frames.ts'
import type { Connection } from './connection.ts'
import { headerListLimits } from './limits.ts'
import type { Stream } from './stream.ts'

/**
 * At most this many CONTINUATION frames may follow a HEADERS frame. A server hardly needs any, because a header block within the limits fits into a
 * single frame.
 */
const mostContinuations = 32

/** Reads a HEADERS frame (RFC 9113 section 6.2): an interim answer, an answer, or its trailers. */
export function receiveHeaders(connection: Connection, flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
  if (streamId === 0) fail('HEADERS without a stream')
  if (connection.isIdle(streamId)) fail('HEADERS on a stream that we did not open')
  if (!connection.streams.has(streamId) && !connection.abandoned.has(streamId)) fail('HEADERS on a closed stream', errorCode.streamClosed)
  const range = unpad(flags, buffer, start, end)
  if (flags & flag.priority) range.start += 5
  if (range.start > range.end) fail('HEADERS too short', errorCode.frameSizeError)
  const endsStream = (flags & flag.endStream) !== 0
  if (flags & flag.endHeaders) receiveHeaderBlock(connection, streamId, endsStream, buffer, range.start, range.end)
  else {
    const part = Buffer.from(buffer.subarray(range.start, range.end))
    connection.headerBlock = { streamId, endsStream, parts: [part], bytes: part.length }
  }
}

/** Reads a CONTINUATION frame (section 6.10), which may only follow a header block that is not complete. */
export function receiveContinuation(connection: Connection, flags: number, buffer: Buffer, start: number, end: number): void {
  const block = connection.headerBlock
  if (!block) return fail('CONTINUATION of nothing')
  block.bytes += end - start
  if (block.bytes > headerListLimits.bytes || block.parts.length > mostContinuations)
    fail('a header block that does not end', errorCode.enhanceYourCalm)
  block.parts.push(Buffer.from(buffer.subarray(start, end)))
  if (!(flags & flag.endHeaders)) return
  connection.headerBlock = undefined
  receiveHeaderBlock(connection, block.streamId, block.endsStream, Buffer.concat(block.parts), 0, block.bytes)
}

function receiveHeaderBlock(connection: Connection, id: number, endsStream: boolean, buffer: Buffer, start: number, end: number): void {
  const { answerFields: fields } = connection
  fields.begin()
  // The block is decoded even for a stream that the client reset, because all streams share the decoder's table.
  const fits = connection.decoder.decode(buffer, start, end, fields.take)
  const stream = connection.streams.get(id)
  if (!stream) return endsStream ? connection.abandoned.end(id) : connection.patience.spend()
  if (!fits) return connection.failStream(stream, errorCode.enhanceYourCalm)
  if (stream.status !== 0) {
    // Trailers end the stream (section 8.1). Their fields are not used, whatever they are.
    if (!endsStream) return connection.failStream(stream, errorCode.protocolError)
    return receiveEnd(connection, stream)
  }
  const isInterim = fields.status >= 100 && fields.status < 200
  if (fields.isStatusWrong || fields.status === 0 || fields.status === 101 || (isInterim && endsStream))
    return connection.failStream(stream, errorCode.protocolError)
  if (isInterim) return connection.patience.spend()

  const length = fields.headers.get('content-length')
  if (length !== undefined) stream.expectedBytes = contentLength(length)
  stream.status = fields.status
  stream.headers = fields.headers
  if (endsStream) receiveEnd(connection, stream)
}

/** Ends a complete answer: checks the length of its body and gives the answer to the request. */
export function receiveEnd(connection: Connection, stream: Stream): void {
  const { status, headers, body, bodyBytes, expectedBytes } = stream
  // The content-length of a 304 is that of the body that it does not send (section 8.1.1).
  if (expectedBytes !== undefined && expectedBytes !== bodyBytes && status !== 304)
    return connection.failStream(stream, errorCode.protocolError)
  connection.answers++
  connection.patience.answered()
  stream.giveReply({ is: 'answered', status, headers, body: bodyBytes === body.length ? body : body.subarray(0, bodyBytes) })
  // An answer may come before the whole request was sent. Then the rest of the request is not sent any more (section 8.1).
  if (stream.unsentBody) connection.resetStream(stream, errorCode.cancel)
  else connection.closeStream(stream)
}
