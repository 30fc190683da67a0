import { frame, frameType } from '../frames.ts'
import type { Limits } from './limits.ts'
import type { OpenStreams } from './open-streams.ts'
import type { Output } from './output.ts'

const pingBytes = Buffer.from('herald??')

/** What `Liveness` uses of a connection. */
type Watched = { sawSettings: boolean; streams: OpenStreams; output: Output; lose: (reason: string) => void }

/**
 * Finds out whether the server is still there (RFC 9113 section 6.7): sends a PING on a silent connection, and ends the connection when no byte comes
 * back. It also ends a connection on which no SETTINGS come.
 */
export class Liveness {
  private readonly limits: Limits
  private receivedAt: number
  /** When the client sent a PING that is not answered yet; undefined when there is none. */
  private askedAt: number | undefined

  constructor(now: number, limits: Limits) {
    this.limits = limits
    this.receivedAt = now
  }

  /** Notes that bytes have come. Any byte shows that the server is there. */
  received(now: number): void {
    this.receivedAt = now
    this.askedAt = undefined
  }

  tick(connection: Watched, now: number): void {
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
}
