import { errorCode, fail } from '../frames.ts'

const mostPatience = 2_000
const perAnswer = 20
const perSecond = 200

/**
 * How much a peer may ask of us for nothing: PING, SETTINGS, empty DATA, windows that are widened byte by byte, frames without a meaning. Each costs the peer less than us, so floods of them are
 * the known attacks on HTTP/2. 2,000 in advance, 20 more with each answer and 200 with each second: a connection at work needs 1 or 2 an answer.
 */
export class Patience {
  private left = mostPatience
  private restedAt: number | undefined

  /** Ends the connection with ENHANCE_YOUR_CALM when there is none left. */
  spend(cost = 1): void {
    this.left -= cost
    if (this.left < 0) fail('too many frames for nothing', errorCode.enhanceYourCalm)
  }

  answered(): void {
    this.left = Math.min(mostPatience, this.left + perAnswer)
  }

  /** `now` in milliseconds. */
  rest(now: number): void {
    const seconds = (now - (this.restedAt ?? now)) / 1000
    this.restedAt = now
    this.left = Math.min(mostPatience, this.left + seconds * perSecond)
  }
}
