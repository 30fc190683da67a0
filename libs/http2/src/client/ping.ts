import { errorCode, fail, flag, frame, frameType } from '../frames.ts'
import type { Connection } from './connection.ts'
import type { Limits } from './limits.ts'

const pingBytes = Buffer.from('herald??')

/** Finds out whether the peer lives (RFC 9113 section 6.7): a silent connection is asked by PING, and given up when nothing at all comes back. */
export class Liveness {
  private readonly limits: Limits
  private receivedAt: number
  /** When our PING was sent; undefined when none is unanswered. */
  private askedAt: number | undefined

  constructor(now: number, limits: Limits) {
    this.limits = limits
    this.receivedAt = now
  }

  /** Notes a sign of life: any byte is one. */
  received(now: number): void {
    this.receivedAt = now
    this.askedAt = undefined
  }

  tick(connection: Connection, now: number): void {
    const { silentPingMs, idlePingMs, pingAnswerMs, connectMs } = this.limits
    if (!connection.sawSettings) {
      if (now - this.receivedAt > connectMs) connection.lose('SETTINGS_TIMEOUT')
    } else if (this.askedAt !== undefined) {
      if (now - this.askedAt > pingAnswerMs) connection.lose('PING_TIMEOUT')
    } else if (now - this.receivedAt > (connection.streams.size > 0 ? silentPingMs : idlePingMs)) {
      this.askedAt = now
      connection.output.push(frame(frameType.ping, 0, 0, pingBytes))
    }
  }

  /** Answers the peer's PING with its own 8 bytes. Of an answer to our PING it is enough that it came. */
  receivePing(connection: Connection, flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
    if (streamId !== 0) fail('PING on a stream')
    if (end - start !== 8) fail('PING of a wrong size', errorCode.frameSizeError)
    connection.patience.spend()
    if (!(flags & flag.acknowledge)) connection.output.push(frame(frameType.ping, flag.acknowledge, 0, buffer.subarray(start, end)))
  }
}
