import type { Duplex } from 'node:stream'

/**
 * The size of the first buffer, in bytes. It is enough for the preface and the few frames of an idle connection. Each further buffer is twice as
 * large as the one before, up to `mostBytes`.
 */
const firstBytes = 2_048
/** The size of the largest buffer, in bytes. It holds about 200 usual pushes. */
const mostBytes = 65_536

/**
 * The output of a connection. Frames are collected in a buffer and written once per turn of the event loop, or beyond a limit, so that pushes share a
 * TLS record. No part is reused: the socket may hold it.
 */
export class Output {
  /** The buffer in which `reserve` gave space. */
  buffer = Buffer.allocUnsafeSlow(firstBytes)
  /** Whether more bytes than the limit wait for the server to read them. No new request is begun until they are read. */
  isBlocked = false
  /** How many times the socket was written to. */
  writes = 0
  private readonly socket: Duplex
  private readonly mostBuffered: number
  private readonly onDrain: () => void
  private readonly onOverflow: () => void
  /** The bytes that are not written yet: the buffers in `full`, and then `buffer` from `start` to `end`. */
  private start = 0
  private end = 0
  private full: Buffer[] = []
  private pending = 0
  private isScheduled = false
  private nextBytes = firstBytes
  private isClosed = false

  constructor(socket: Duplex, mostBuffered: number, onDrain: () => void, onOverflow: () => void) {
    this.socket = socket
    this.mostBuffered = mostBuffered
    this.onDrain = onDrain
    this.onOverflow = onOverflow
    socket.on('drain', () => this.drained())
  }

  /** Makes space for this many bytes in a row and gives the index in `buffer` where the space begins. Nothing is sent until `commit`. */
  reserve(bytes: number): number {
    if (this.end + bytes <= this.buffer.length) return this.end
    if (this.end > this.start) this.full.push(this.buffer.subarray(this.start, this.end))
    this.nextBytes = Math.min(mostBytes, 2 * this.nextBytes)
    this.buffer = Buffer.allocUnsafeSlow(Math.max(this.nextBytes, bytes))
    this.start = 0
    this.end = 0
    return 0
  }

  /** Sends the reserved bytes up to index `end`, at the latest with the write at the end of this turn of the event loop. */
  commit(end: number): void {
    this.pending += end - this.end
    this.end = end
    if (this.pending >= this.mostBuffered) this.flush()
    else if (!this.isScheduled) {
      this.isScheduled = true
      setImmediate(this.flush)
    }
  }

  push(frame: Buffer): void {
    const at = this.reserve(frame.length)
    this.commit(at + frame.copy(this.buffer, at))
  }

  /** Writes the bytes that were collected in this turn of the event loop. */
  readonly flush = (): void => {
    this.isScheduled = false
    if (this.pending === 0 || this.isClosed) return
    const last = this.buffer.subarray(this.start, this.end)
    this.start = this.end
    this.pending = 0
    this.writes++
    if (this.full.length === 0) this.socket.write(last)
    else {
      const parts = this.full
      this.full = []
      this.socket.cork()
      for (const part of parts) this.socket.write(part)
      this.socket.write(last)
      this.socket.uncork()
    }
    this.isBlocked = this.socket.writableLength > this.mostBuffered
    // Above the limit no new requests are written, but answers to PING and SETTINGS are. So a server that sends these frames and reads nothing would
    // fill the memory, and its connection is ended at four times the limit.
    if (this.socket.writableLength > 4 * this.mostBuffered) this.onOverflow()
  }

  /** Ends the output: nothing is written any more. */
  close(): void {
    this.isClosed = true
    this.full = []
    this.pending = 0
  }

  private drained(): void {
    if (!this.isBlocked) return
    this.isBlocked = false
    this.onDrain()
  }
}
