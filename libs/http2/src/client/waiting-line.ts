import type { Stream } from './stream.ts'

/** Requests that wait for a free stream, first come, first served. A request that has its reply already, because its time limit ended, is skipped. */
export class WaitingLine {
  private streams: (Stream | undefined)[] = []
  private first = 0

  /** An upper bound of how many requests wait. It may be too high, because a request that has its reply already is counted until it is skipped. */
  get length(): number {
    return this.streams.length - this.first
  }

  push(stream: Stream): void {
    this.streams.push(stream)
  }

  /** Removes the first request that still waits, and gives it. */
  shift(): Stream | undefined {
    while (this.first < this.streams.length) {
      const stream = this.streams[this.first]
      this.streams[this.first++] = undefined
      // Entries are removed in bulk: shifting the array for each request would move up to 10,000 of them.
      if (this.first > 1_000 && this.first * 2 > this.streams.length) {
        this.streams = this.streams.slice(this.first)
        this.first = 0
      }
      if (stream && !stream.hasReply) return stream
    }
    return undefined
  }

  /** Calls `giveReply` for the requests that `isOver` names, and removes all that have a reply. */
  giveUp(isOver: (stream: Stream) => boolean, giveReply: (stream: Stream) => void): void {
    const left: Stream[] = []
    for (const stream of this.streams) {
      if (!stream || stream.hasReply) continue
      if (isOver(stream)) giveReply(stream)
      else left.push(stream)
    }
    this.streams = left
    this.first = 0
  }
}
