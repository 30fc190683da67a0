import { leaseMs, leaseRenewMs } from '@herald/contracts/batch'

/** When a renewal is not answered, the next one comes after this: an audience that returns gives living dispatchers a whole lease to come back. */
const againAfterMs = 1_000

/**
 * A taken batch is ours until 12 s after we last asked, by the monotonic clock. A process that was frozen finds its lease over when it goes on,
 * and must not deliver a batch that another process has taken meanwhile (docs/architecture.md, Leases around the outside).
 */
export type Lease = {
  /** Whether the lease holds, to be asked before each send. Once it is over it stays over: nothing more is sent. */
  readonly held: boolean
  /** Aborted as soon as the lease is known to be over. */
  readonly lost: AbortSignal
  /** Whether another process has taken the batch. Until one has, the batch is still ours to report and to end. */
  readonly isTaken: boolean
  /** Stops renewing the lease. */
  release(): void
}

/**
 * Keeps a lease that was asked for at `takenAt` (`performance.now()` just before the request, so audience's clock
 * started later). `renew` says whether the batch is still ours. It goes on being asked when the time is up, until another process has the batch:
 * pushes that were sent and are not yet with the tracker must not be sent by the next taker, however long a database was away.
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
