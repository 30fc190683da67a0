import { errorCode, fail } from '../frames.ts'

const mostPatience = 2_000
const perAnswer = 20
const perSecond = 200

/**
 * Limits the frames of a server that bring nothing, such as PING, SETTINGS, empty DATA, windows that grow byte by byte and unknown frames. Sending
 * such a frame costs less than handling it, so floods of them are known attacks on HTTP/2. A server may send 2,000 such frames in a row. Each answer
 * allows it 20 more and each second 200 more, but never more than 2,000 in all. That is enough, because a busy connection needs 1 or 2 of these
 * frames for each answer.
 */
export class Patience {
  private left = mostPatience
  private restedAt: number | undefined

  /** Counts a frame that brings nothing. Ends the connection with ENHANCE_YOUR_CALM when there were too many. */
  spend(cost = 1): void {
    this.left -= cost
    if (this.left < 0) fail('too many frames for nothing', errorCode.enhanceYourCalm)
  }

  answered(): void {
    this.left = Math.min(mostPatience, this.left + perAnswer)
  }

  /** Allows 200 more frames that bring nothing for each second since the last call. `now` is in milliseconds. */
  rest(now: number): void {
    const seconds = (now - (this.restedAt ?? now)) / 1000
    this.restedAt = now
    this.left = Math.min(mostPatience, this.left + seconds * perSecond)
  }
}
