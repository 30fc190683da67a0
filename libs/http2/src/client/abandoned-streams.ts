/** So many are told apart; of older ones everything is passed over. */
const mostKept = 1_000

/**
 * Streams that we broke off, or that a GOAWAY left out. The peer may not have heard of it yet and go on sending, which is no mistake of its; on any other closed stream it would be
 * (RFC 9113 section 5.1).
 */
export class AbandonedStreams {
  private readonly ids = new Set<number>()
  /** All streams up to this one count as abandoned. */
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

  /** The peer has ended it as well: from here on it may send nothing more. */
  end(streamId: number): void {
    this.ids.delete(streamId)
  }

  has(streamId: number): boolean {
    return streamId <= this.allUpTo || this.ids.has(streamId)
  }
}
