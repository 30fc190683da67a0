import { leaseMs, leaseRenewMs } from '@herald/contracts/batch'

/** After a renewal that nobody answered the next is due: a returning audience gives living takers a whole lease to come back. */
const againAfterMs = 1_000

/**
 * A taken batch is ours until 12 s after we last asked, by the monotonic clock: a process thawed after a freeze finds it
 * over and must not play out a batch that another has taken meanwhile (docs/architecture.md, Leases around the outside).
 */
export type Lease = {
  /** To be asked before each send. Once over, it stays so: nothing more is sent. */
  readonly held: boolean
  /** Aborted as soon as the lease is known to be over. */
  readonly lost: AbortSignal
  /** Whether another has the batch by now. While nobody has, it is still ours to report and to end. */
  readonly isTaken: boolean
  /** Ends renewing it. */
  release(): void
}

/**
 * Keeps a lease that was asked for at `takenAt` (`performance.now()` just before the request, so the receiver's clock
 * started later). `renew` answers whether it is still ours. It is asked on also when the time is up, until another has the batch:
 * what was sent and is not yet with the tracker must not be sent by the next taker, however long a database was away.
 */
export function keepLease(takenAt: number, renew: () => Promise<boolean>, now: () => number = () => performance.now()): Lease {
  const lost = new AbortController()
  let until = takenAt + leaseMs
  let isTaken = false
  let timer: NodeJS.Timeout | undefined

  const renewIn = (ms: number) => {
    timer = setTimeout(() => void renewOnce(), ms)
  }
  const renewOnce = async () => {
    const askedAt = now()
    if (askedAt >= until) lost.abort()
    const isOurs = await renew().catch(() => undefined)
    if (isOurs) until = askedAt + leaseMs
    if (isOurs === false) {
      isTaken = true
      lost.abort()
    } else if (timer !== undefined) renewIn(isOurs ? leaseRenewMs : againAfterMs)
  }
  renewIn(leaseRenewMs)

  return {
    get held() {
      if (now() >= until) lost.abort()
      return !lost.signal.aborted
    },
    lost: lost.signal,
    get isTaken() {
      return isTaken
    },
    release() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
