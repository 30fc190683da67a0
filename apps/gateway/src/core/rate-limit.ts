const windowMs = 60_000
/**
 * The requests of at most this many keys are counted at once, which takes about 10 MB. When a further key comes, the key whose last request is oldest
 * is forgotten. So memory stays bounded, but a forgotten key may make more requests than its limit.
 */
const mostCounted = 100_000

/** Whether a request may pass, and what the RateLimit-* headers of its answer say. */
export type Allowance = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

/**
 * Limits the requests of each key in fixed windows of 60 s, counted in this process (spec: limits/rate-window). The windows of all keys begin
 * together, so a new window clears the map of counts. `now` is in milliseconds of a clock that never goes back.
 */
export class RateLimit {
  readonly #limit: number
  readonly #counts = new Map<string, number>()
  #window = -1

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the limit is 0, which switches the limit off. */
  get isOn(): boolean {
    return this.#limit > 0
  }

  /** Counts one request of a key and says whether the request may pass. */
  take(key: string, now: number): Allowance {
    const window = Math.floor(now / windowMs)
    if (window !== this.#window) {
      this.#window = window
      this.#counts.clear()
    }
    const count = (this.#counts.get(key) ?? 0) + 1
    // Deleting and setting moves the key to the end, so the map is in the order of last use.
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
