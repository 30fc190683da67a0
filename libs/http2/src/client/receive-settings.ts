import { errorCode, fail, flag, maxFrameSize, maxWindow, setting, settingsAcknowledged } from '../frames.ts'
import type { Connection } from './connection.ts'
import { changeInitialWindow, sendWaiting } from './flow-control.ts'

/** How many settings a frame may have. A peer has seven to tell, and each change of the window touches every stream, so thousands in one frame would be work for nothing. */
const mostSettings = 64

/** SETTINGS (RFC 9113 section 6.5): what the peer allows from now on, also to streams that are open. */
export function receiveSettings(connection: Connection, flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
  if (streamId !== 0) fail('SETTINGS on a stream')
  const isAcknowledgement = (flags & flag.acknowledge) !== 0
  if ((end - start) % 6 !== 0 || (isAcknowledgement && end > start)) fail('SETTINGS of a wrong size', errorCode.frameSizeError)
  if (!connection.sawSettings && isAcknowledgement) fail('the first frame was not SETTINGS')
  const settings = (end - start) / 6
  connection.patience.spend(1 + settings)
  if (isAcknowledgement) return
  if (settings > mostSettings) fail('too many settings', errorCode.enhanceYourCalm)
  for (let position = start; position < end; position += 6) {
    applySetting(connection, buffer.readUInt16BE(position), buffer.readUInt32BE(position + 2))
  }
  connection.sawSettings = true
  connection.output.push(settingsAcknowledged)
  sendWaiting(connection)
  connection.owner.roomier()
}

/** Takes one setting of the peer (section 6.5.2). SETTINGS_MAX_HEADER_LIST_SIZE is only advice, and our lists are small. */
function applySetting(connection: Connection, id: number, value: number): void {
  if (id === setting.headerTableSize) connection.encoder.setTableSize(value)
  else if (id === setting.maxConcurrentStreams) connection.peerMaxConcurrentStreams = value
  else if (id === setting.initialWindowSize) {
    if (value > maxWindow) fail('SETTINGS_INITIAL_WINDOW_SIZE out of range', errorCode.flowControlError)
    changeInitialWindow(connection, value)
  } else if (id === setting.enablePush) {
    if (value !== 0) fail('SETTINGS_ENABLE_PUSH from a server')
  } else if (id === setting.maxFrameSize) {
    // We may send larger frames but need not. Ours stay within the 16,384 bytes that every peer takes.
    if (value < maxFrameSize || value > 0xffffff) fail('SETTINGS_MAX_FRAME_SIZE out of range')
  }
}
