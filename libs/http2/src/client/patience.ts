import { errorCode, fail } from '../frames.ts'

const mostPatience = 2_000
const perAnswer = 20
const perSecond = 200

/**
 * How many frames a peer may send us that bring nothing: PING, SETTINGS, empty DATA, windows that are widened byte by byte, frames without a meaning. Each costs the peer less than us, so floods of them are
 * the known attacks on HTTP/2. A peer has 2,000 in advance, 20 more with each answer and 200 more with each second. A connection at work needs 1 or 2 for each answer.
 */
export class Patience {
  private left = mostPatience
  private restedAt: number | undefined

  /** Counts such a frame. Ends the connection with ENHANCE_YOUR_CALM when no patience is left. */
  spend(cost = 1): void {
    this.left -= cost
    if (this.left < 0) fail('too many frames for nothing', errorCode.enhanceYourCalm)
  }

  answered(): void {
    this.left = Math.min(mostPatience, this.left + perAnswer)
  }

  /** Adds patience for the time that went by. `now` is in milliseconds. */
  rest(now: number): void {
    const seconds = (now - (this.restedAt ?? now)) / 1000
    this.restedAt = now
    this.left = Math.min(mostPatience, this.left + seconds * perSecond)
  }
}
