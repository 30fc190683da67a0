import { flag, frameType, headerLength, maxFrameSize, maxStreamId, writeFrameHeader } from '../frames.ts'
import type { Connection } from './connection.ts'
import { sendBody } from './flow-control.ts'
import { mostBlockBytes, writeBlock, type HeadBytes } from './request-block.ts'
import type { Request, Stream } from './stream.ts'

/** Sends a request on a new stream. Before this the caller has asked `room` of the connection. */
export function sendRequest(connection: Connection, stream: Stream): void {
  beginStream(connection, stream)
  if (connection.nextStreamId > Math.min(maxStreamId, 2 * connection.limits.requestsPerConnection))
    connection.drain('stream numbers used up')
}

/** Begins a stream: sends HEADERS and as much of the body as the windows allow. A usual push is two frames, written into the output in one piece. */
function beginStream(connection: Connection, stream: Stream): void {
  const { request } = stream
  if (!request) throw new Error('a request is sent once')
  stream.request = undefined
  const { head, path, more, body } = request
  const { output, encoder } = connection
  stream.id = connection.takeStreamId()
  stream.sendWindow = connection.peerInitialWindow
  stream.begunAtWrite = output.writes
  connection.streams.add(stream)

  const headBytes = encoder.head(head)
  const mostBlock = mostBlockBytes(headBytes, path, more)
  const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  if (mostBlock > maxFrameSize) sendLongBlock(connection, stream, request, headBytes, mostBlock, bodyBytes)
  else {
    const fits = bodyBytes > 0 && bodyBytes <= Math.min(maxFrameSize, connection.sendWindow, stream.sendWindow)
    const at = output.reserve(2 * headerLength + mostBlock + (fits ? bodyBytes : 0))
    const { buffer } = output
    let end = writeBlock(buffer, at + headerLength, headBytes, request, bodyBytes)
    const flags = bodyBytes === 0 ? flag.endHeaders | flag.endStream : flag.endHeaders
    writeFrameHeader(buffer, at, end - at - headerLength, frameType.headers, flags, stream.id)
    if (fits) {
      end = writeFrameHeader(buffer, end, bodyBytes, frameType.data, flag.endStream, stream.id)
      end += typeof body === 'string' ? buffer.write(body, end) : body.copy(buffer, end)
      connection.sendWindow -= bodyBytes
      stream.sendWindow -= bodyBytes
    }
    output.commit(end)
    if (fits) return
  }
  if (bodyBytes > 0) {
    // Bytes that the windows do not allow yet wait. Here the body is copied, because the caller may use its own buffer for something else meanwhile.
    stream.unsentBody = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body)
    sendBody(connection, stream)
  }
}

/** Sends a header block that is larger than a frame: HEADERS, then CONTINUATION with no other frame in between (RFC 9113 section 6.10). */
function sendLongBlock(
  connection: Connection,
  stream: Stream,
  request: Request,
  head: HeadBytes,
  mostBytes: number,
  bodyBytes: number,
): void {
  const { output } = connection
  const block = Buffer.allocUnsafe(mostBytes)
  const length = writeBlock(block, 0, head, request, bodyBytes)
  for (let sent = 0; sent < length; sent += maxFrameSize) {
    const size = Math.min(maxFrameSize, length - sent)
    const ends = (sent === 0 && bodyBytes === 0 ? flag.endStream : 0) | (sent + size === length ? flag.endHeaders : 0)
    const at = output.reserve(headerLength + size)
    const from = writeFrameHeader(output.buffer, at, size, sent === 0 ? frameType.headers : frameType.continuation, ends, stream.id)
    output.commit(from + block.copy(output.buffer, from, sent, sent + size))
  }
}
