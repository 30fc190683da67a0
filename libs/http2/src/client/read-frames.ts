import type { Duplex } from 'node:stream'
import { checkPriority, ConnectionError, errorCode, fail, frameType, splitFrames } from '../frames.ts'
import { Connection, type Owner } from './connection.ts'
import { receiveWindowUpdate, sendWaiting } from './flow-control.ts'
import type { Limits } from './limits.ts'
import { receiveData } from './receive-data.ts'
import { receiveGoAway } from './receive-goaway.ts'
import { receiveContinuation, receiveHeaders } from './receive-headers.ts'
import { receivePing } from './receive-ping.ts'
import { receiveRstStream } from './receive-rst-stream.ts'
import { receiveSettings } from './receive-settings.ts'

/** Opens a connection on a connected socket whose two ends have agreed on h2, and reads the frames that the server sends on it. */
export function openConnection(socket: Duplex, limits: Limits, owner: Owner, now: number): Connection {
  const connection = new Connection(socket, limits, owner, now, sendWaiting)
  const split = splitFrames((type, flags, streamId, buffer, start, end) => {
    if (connection.isGone) return
    const { headerBlock } = connection
    if (headerBlock && (type !== frameType.continuation || streamId !== headerBlock.streamId)) fail('a header block was not continued')
    if (!connection.sawSettings && type !== frameType.settings) fail('the first frame was not SETTINGS')
    if (type === frameType.headers) receiveHeaders(connection, flags, streamId, buffer, start, end)
    else if (type === frameType.data) receiveData(connection, flags, streamId, buffer, start, end)
    else if (type === frameType.windowUpdate) receiveWindowUpdate(connection, streamId, buffer, start, end)
    else if (type === frameType.settings) receiveSettings(connection, flags, streamId, buffer, start, end)
    else if (type === frameType.ping) receivePing(connection, flags, streamId, buffer, start, end)
    else if (type === frameType.goAway) receiveGoAway(connection, streamId, buffer, start, end)
    else if (type === frameType.resetStream) receiveRstStream(connection, streamId, buffer, start, end)
    else if (type === frameType.continuation) receiveContinuation(connection, flags, buffer, start, end)
    else if (type === frameType.pushPromise) fail('PUSH_PROMISE, which our SETTINGS forbid')
    else {
      if (type === frameType.priority) checkPriority(streamId, end - start)
      // A frame of an unknown type is ignored (RFC 9113 section 5.5), but it costs patience (`patience.ts`).
      connection.patience.spend()
    }
  })
  socket.on('data', (bytes: Buffer) => {
    if (connection.isGone) return
    connection.liveness.received(performance.now())
    try {
      split(bytes)
    } catch (error) {
      connection.fail(error instanceof ConnectionError ? error.code : errorCode.internalError)
      if (!(error instanceof ConnectionError)) throw error
    }
  })
  return connection
}
