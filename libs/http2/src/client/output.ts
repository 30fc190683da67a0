import type { Duplex } from 'node:stream'

/** Of the first buffer, which holds the preface and what little an idle connection says. Each further one is twice as large. */
const firstBytes = 2_048
/** 200 usual pushes. */
const mostBytes = 65_536

/**
 * What a connection sends. Frames are written into one large buffer and leave in one write per turn of the event loop: one TLS record of many pushes instead of one each.
 * A buffer is never written twice, because the socket may still hold it.
 */
export class Output {
  /** Where `reserve` gave room. */
  buffer = Buffer.allocUnsafeSlow(firstBytes)
  /** The peer does not take what we send: nothing new is begun until it has. */
  isBlocked = false
  /** Grows with every write to the socket. */
  writes = 0
  private readonly socket: Duplex
  private readonly mostBuffered: number
  private readonly onDrain: () => void
  private readonly onOverflow: () => void
  /** `buffer[start, end)` is not written yet, nor is what stands in `full`. */
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

  /** Make room for `bytes` in a row and answer where it begins in `buffer`. Nothing is sent until `commit`. */
  reserve(bytes: number): number {
    if (this.end + bytes <= this.buffer.length) return this.end
    if (this.end > this.start) this.full.push(this.buffer.subarray(this.start, this.end))
    this.nextBytes = Math.min(mostBytes, 2 * this.nextBytes)
    this.buffer = Buffer.allocUnsafeSlow(Math.max(this.nextBytes, bytes))
    this.start = 0
    this.end = 0
    return 0
  }

  /** What was reserved is filled up to `end`: send it with this turn's write. */
  commit(end: number): void {
    this.pending += end - this.end
    this.end = end
    if (this.pending >= this.mostBuffered) this.flush()
    else if (!this.isScheduled) {
      this.isScheduled = true
      setImmediate(this.flush)
    }
  }

  /** Send a frame that is made already. */
  push(frame: Buffer): void {
    const at = this.reserve(frame.length)
    this.commit(at + frame.copy(this.buffer, at))
  }

  /** Write now what this turn has gathered. */
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
    // Requests stop at the limit; what goes on growing are answers to a peer that asks and does not read.
    if (this.socket.writableLength > 4 * this.mostBuffered) this.onOverflow()
  }

  /** Nothing is written any more. */
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
