/** So many abandoned streams are known one by one. Of older ones only the highest number is known. */
const mostKept = 1_000

/**
 * The streams that we broke off, or that a GOAWAY left out. The peer may not know that yet and go on sending, which is allowed. On any other closed stream it would be a mistake
 * (RFC 9113 section 5.1).
 */
export class AbandonedStreams {
  private readonly ids = new Set<number>()
  /** Every stream up to this number counts as abandoned. */
  private allUpTo = 0

  add(streamId: number): void {
    this.ids.add(streamId)
    if (this.ids.size <= mostKept) return
    for (const oldest of this.ids) {
      this.ids.delete(oldest)
      this.allUpTo = Math.max(this.allUpTo, oldest)
      return
    }
  }

  /** Notes that the peer has ended the stream as well: from here on it may send nothing more on it. */
  end(streamId: number): void {
    this.ids.delete(streamId)
  }

  has(streamId: number): boolean {
    return streamId <= this.allUpTo || this.ids.has(streamId)
  }
}
