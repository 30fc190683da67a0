const windowMs = 60_000
/** About 10 MB of addresses. Beyond it the one unseen for longest is forgotten: memory is bounded, the limit is not exact then. */
const mostCounted = 100_000

/** What a limited answer says in its RateLimit-* headers. */
export type Allowance = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

/**
 * A limit per key in fixed windows of 60 s, counted in this process (spec: limits/rate-window). All keys share the windows, so a new
 * window is one cleared map. `now` is milliseconds of a clock that never goes back.
 */
export class RateLimit {
  readonly #limit: number
  readonly #counts = new Map<string, number>()
  #window = -1

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False for a limit of 0, which switches the bucket off. */
  get isOn(): boolean {
    return this.#limit > 0
  }

  /** Counts one request of a key and says whether it may pass. */
  take(key: string, now: number): Allowance {
    const window = Math.floor(now / windowMs)
    if (window !== this.#window) {
      this.#window = window
      this.#counts.clear()
    }
    const count = (this.#counts.get(key) ?? 0) + 1
    // Taken out and put back, it is the newest: the map's order is the order of use.
    this.#counts.delete(key)
    this.#counts.set(key, count)
    if (this.#counts.size > mostCounted) this.#forgetOldest()
    return {
      allowed: count <= this.#limit,
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - count),
      resetSeconds: Math.ceil(((window + 1) * windowMs - now) / 1000),
    }
  }

  /** What was taken last did not count after all. */
  giveBack(key: string): void {
    const count = this.#counts.get(key)
    if (count !== undefined && count > 0) this.#counts.set(key, count - 1)
  }

  #forgetOldest(): void {
    for (const oldest of this.#counts.keys()) {
      this.#counts.delete(oldest)
      return
    }
  }
}
