const windowMs = 60_000
/**
 * The most keys that are counted at once, about 10 MB. Beyond that the key unseen for longest is forgotten: memory stays bounded, and the limit is
 * no longer exact.
 */
const mostCounted = 100_000

/** What the RateLimit-* headers of an answer say. */
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
    // Deleting and setting moves the key to the end: the map is in the order of last use.
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

  /** Takes back one counted request of a key. */
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
