import { checkGoAway, errorCode, errorName, fail, maxStreamId } from '../frames.ts'
import type { Connection } from './connection.ts'

/** At most this many bytes of the debug data of a GOAWAY are passed on. */
const mostDebugBytes = 1_024

/**
 * Reads a GOAWAY (RFC 9113 section 6.8): streams above its last-stream-id are surely not processed and are refused at once; others may still be
 * answered. A second GOAWAY may name a lower number, never a higher one.
 */
export function receiveGoAway(connection: Connection, streamId: number, buffer: Buffer, start: number, end: number): void {
  checkGoAway(streamId, end - start)
  const lastStreamId = buffer.readUInt32BE(start) & maxStreamId
  const code = buffer.readUInt32BE(start + 4)
  if (connection.goneAfter !== undefined) {
    if (lastStreamId > connection.goneAfter) fail('GOAWAY with a higher last stream than before')
    connection.patience.spend()
  }
  connection.goneAfter = lastStreamId
  const reason = code === errorCode.noError ? 'GOAWAY' : errorName(code)
  // Draining comes first, so that closing the refused streams does not begin a new stream here.
  connection.drain(reason, buffer.toString('utf8', start + 8, Math.min(end, start + 8 + mostDebugBytes)))
  for (const stream of connection.streams.values()) {
    if (stream.id <= lastStreamId) continue
    stream.giveReply({ is: 'refused', reason })
    connection.abandoned.add(stream.id)
    connection.closeStream(stream)
  }
}
