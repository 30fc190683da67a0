import { checkGoAway, errorCode, errorName, fail, maxStreamId } from '../frames.ts'
import type { Connection } from './connection.ts'

/**
 * GOAWAY (RFC 9113 section 6.8): the peer begins no more streams. Those above its last-stream-id are surely not processed and are refused at once; the others may still be
 * answered. It may come twice, first with the highest number there is as a warning; the second number is never higher.
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
  // Before the refused ones make room, so that none is begun here.
  connection.drain(reason)
  for (const stream of connection.streams.values()) {
    if (stream.id <= lastStreamId) continue
    stream.settle({ is: 'refused', reason })
    connection.abandoned.add(stream.id)
    connection.closeStream(stream)
  }
}
