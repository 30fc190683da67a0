import { errorCode, errorName, fail } from '../frames.ts'
import type { Connection } from './connection.ts'

/** Reads an RST_STREAM frame (RFC 9113 section 6.4). REFUSED_STREAM says that nothing was processed; any other code leaves this open. */
export function receiveRstStream(connection: Connection, streamId: number, buffer: Buffer, start: number, end: number): void {
  if (streamId === 0) fail('RST_STREAM without a stream')
  if (end - start !== 4) fail('RST_STREAM of a wrong size', errorCode.frameSizeError)
  if (connection.isIdle(streamId)) fail('RST_STREAM on a stream that we did not open')
  const stream = connection.streams.get(streamId)
  if (!stream) {
    connection.abandoned.end(streamId)
    return connection.patience.spend()
  }
  const code = buffer.readUInt32BE(start)
  const reason = errorName(code)
  // Once an answer has begun, the request was processed, whatever the server says.
  const isRefused = code === errorCode.refusedStream && stream.status === 0
  stream.giveReply(isRefused ? { is: 'refused', reason } : { is: 'unanswered', why: 'broken', reason })
  connection.closeStream(stream)
}
