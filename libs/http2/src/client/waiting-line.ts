import type { Stream } from './stream.ts'

/** Requests that wait for room, first come, first served. Those that were settled meanwhile (their time was over) are passed over. */
export class WaitingLine {
  private streams: (Stream | undefined)[] = []
  private first = 0

  /** How many stand in it, at most: settled ones count until they are passed over. */
  get length(): number {
    return this.streams.length - this.first
  }

  push(stream: Stream): void {
    this.streams.push(stream)
  }

  /** The first that still waits. */
  shift(): Stream | undefined {
    while (this.first < this.streams.length) {
      const stream = this.streams[this.first]
      this.streams[this.first++] = undefined
      // Moved in bulk: shifting the array per request would move up to 10,000 entries.
      if (this.first > 1_000 && this.first * 2 > this.streams.length) {
        this.streams = this.streams.slice(this.first)
        this.first = 0
      }
      if (stream && !stream.isSettled) return stream
    }
    return undefined
  }

  /** Settle those that `isOver` names, and forget all that are settled. */
  settle(isOver: (stream: Stream) => boolean, settle: (stream: Stream) => void): void {
    const left: Stream[] = []
    for (const stream of this.streams) {
      if (!stream || stream.isSettled) continue
      if (isOver(stream)) settle(stream)
      else left.push(stream)
    }
    this.streams = left
    this.first = 0
  }
}
