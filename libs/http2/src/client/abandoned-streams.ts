/**
 * At most this many abandoned streams are remembered one by one. Of the streams that were abandoned before them only the highest number is remembered
 * (`allUpTo`), and every stream up to it counts as abandoned.
 */
const mostKept = 1_000

/**
 * Streams that the client reset, or that a server's GOAWAY left out. The server may still send frames on these. HEADERS or DATA on any other closed
 * stream would be a mistake (RFC 9113 section 5.1).
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

  /**
   * Notes that the server has ended the stream too, so that HEADERS or DATA on it is a mistake from now on. Streams up to `allUpTo` are not remembered
   * one by one, so on them the mistake is not noticed.
   */
  end(streamId: number): void {
    this.ids.delete(streamId)
  }

  has(streamId: number): boolean {
    return streamId <= this.allUpTo || this.ids.has(streamId)
  }
}
