import { errorCode, fail } from '../frames.ts'

const mostPatience = 2_000
const perAnswer = 20
const perSecond = 200

/**
 * Limits a server's frames that bring nothing, such as PING: floods of them are known attacks. It may send 2,000, and gets back 20 with each answer
 * and 200 a second. A busy connection needs 1-2 for each answer.
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
