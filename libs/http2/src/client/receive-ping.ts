import { errorCode, fail, flag, frame, frameType } from '../frames.ts'
import type { Connection } from './connection.ts'

/**
 * Answers the server's PING with the PING's own 8 bytes (RFC 9113 section 6.7). The content of an answer to the client's own PING is not read, because
 * any byte from the server shows that it is there.
 */
export function receivePing(connection: Connection, flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
  if (streamId !== 0) fail('PING on a stream')
  if (end - start !== 8) fail('PING of a wrong size', errorCode.frameSizeError)
  connection.patience.spend()
  if (!(flags & flag.acknowledge)) connection.output.push(frame(frameType.ping, flag.acknowledge, 0, buffer.subarray(start, end)))
}
