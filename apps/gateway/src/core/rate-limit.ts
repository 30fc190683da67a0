const windowMs = 60_000
/**
 * At most this many keys are counted at once, in about 10 MB. Then the key whose last request is oldest is forgotten, and may make more requests than
 * its limit.
 */
const mostCounted = 100_000

/** Whether a request may pass, and what the RateLimit-* headers of its answer say. */
export type Allowance = { allowed: boolean; limit: number; remaining: number; resetSeconds: number }

/**
 * Limits the requests of each key in fixed windows of 60 s, counted in this process (spec: limits/rate-window). All keys' windows begin together.
 * `now` is in milliseconds of a clock that never goes back.
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
    const count = this.#countOf(key, now) + 1
    // Deleting and setting moves the key to the end, so the map is in the order of last use.
    this.#counts.delete(key)
    this.#counts.set(key, count)
    if (this.#counts.size > mostCounted) this.#forgetOldest()
    return this.#allowanceOf(count, now)
  }

  /** Says whether one more request of a key may pass, without counting it. */
  look(key: string, now: number): Allowance {
    return this.#allowanceOf(this.#countOf(key, now) + 1, now)
  }

  #countOf(key: string, now: number): number {
    const window = Math.floor(now / windowMs)
    if (window !== this.#window) {
      this.#window = window
      this.#counts.clear()
    }
    return this.#counts.get(key) ?? 0
  }

  #allowanceOf(count: number, now: number): Allowance {
    return {
      allowed: count <= this.#limit,
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - count),
      resetSeconds: Math.ceil(((Math.floor(now / windowMs) + 1) * windowMs - now) / 1000),
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
