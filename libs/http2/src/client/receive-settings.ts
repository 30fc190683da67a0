import { errorCode, fail, flag, maxFrameSize, maxWindow, setting, settingsAcknowledged } from '../frames.ts'
import type { Connection } from './connection.ts'
import { changeInitialWindow, sendWaiting } from './flow-control.ts'

/**
 * A SETTINGS frame may have at most this many settings. A server needs fewer than ten. Thousands in one frame would cost much time, because each
 * change of SETTINGS_INITIAL_WINDOW_SIZE changes the window of every open stream.
 */
const mostSettings = 64

/** Reads a SETTINGS frame (RFC 9113 section 6.5): what the server allows from now on, for open streams too. */
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

/** Applies one setting of the server (section 6.5.2). SETTINGS_MAX_HEADER_LIST_SIZE is ignored: it is advice, and Herald's header lists are small. */
function applySetting(connection: Connection, id: number, value: number): void {
  if (id === setting.headerTableSize) connection.encoder.setTableSize(value)
  else if (id === setting.maxConcurrentStreams) connection.peerMaxConcurrentStreams = value
  else if (id === setting.initialWindowSize) {
    if (value > maxWindow) fail('SETTINGS_INITIAL_WINDOW_SIZE out of range', errorCode.flowControlError)
    changeInitialWindow(connection, value)
  } else if (id === setting.enablePush) {
    if (value !== 0) fail('SETTINGS_ENABLE_PUSH from a server')
  } else if (id === setting.maxFrameSize) {
    // The server allows larger frames, but Herald's frames stay within the 16,384 bytes that every server takes.
    if (value < maxFrameSize || value > 0xffffff) fail('SETTINGS_MAX_FRAME_SIZE out of range')
  }
}
