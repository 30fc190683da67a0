import { leaseMs, leaseRenewMs } from '@herald/contracts/batch'

/**
 * A taken batch is ours until 12 s after we last asked, by the monotonic clock: a process thawed after a freeze finds it
 * over and must not play out a batch that another has taken meanwhile (architecture.md, pattern 6).
 */
export type Lease = {
  /** To be asked before each send. */
  readonly held: boolean
  /** Aborted as soon as the lease is known to be lost. */
  readonly lost: AbortSignal
  /** Ends renewing it. */
  release(): void
}

/**
 * Keeps a lease that was asked for at `takenAt` (`performance.now()` just before the request, so the receiver's clock
 * started later). `renew` answers whether it is still ours; a renewal that fails is tried again until the time is up.
 */
export function keepLease(takenAt: number, renew: () => Promise<boolean>, now: () => number = () => performance.now()): Lease {
  const lost = new AbortController()
  let until = takenAt + leaseMs
  let timer: NodeJS.Timeout | undefined

  const again = () => {
    timer = setTimeout(() => void renewOnce(), leaseRenewMs)
  }
  const renewOnce = async () => {
    const askedAt = now()
    if (askedAt >= until) return lost.abort()
    const isOurs = await renew().catch(() => undefined)
    if (isOurs === false) return lost.abort()
    if (isOurs) until = askedAt + leaseMs
    if (timer !== undefined && !lost.signal.aborted) again()
  }
  again()

  return {
    get held() {
      if (now() >= until) lost.abort()
      return !lost.signal.aborted
    },
    lost: lost.signal,
    release() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
