import { leaseMs, leaseRenewMs } from '@herald/contracts/batch'

/**
 * The pause before the lease is renewed again when the last renewal got no answer. It is short, so that after an outage the lease is renewed before
 * audience gives the batch to another dispatcher.
 */
const againAfterMs = 1_000

/**
 * The lease of a batch ends 12 s after this process asked for the take, or for the last renewal that was granted, by the monotonic clock. A process
 * that was frozen finds its lease ended when it goes on, and must not deliver a batch that another process has taken meanwhile (docs/architecture.md,
 * Leases).
 */
export type Lease = {
  /** Whether the lease still lasts; to be asked before each push is sent. A lease that has ended stays ended. */
  readonly held: boolean
  /** Aborted as soon as this process knows that the lease has ended. */
  readonly lost: AbortSignal
  /**
   * Aborted when audience has said that the batch is no longer this process's: another process has taken it, or it is done or deleted. Until then
   * this process reports the batch's outcomes and finishes it.
   */
  readonly taken: AbortSignal
  release(): void
}

/**
 * Keeps the lease of a batch by renewing it. `takenAt` is `performance.now()` just before the take was asked for. Audience counts its lease from a
 * later moment, so the lease here ends first. `renew` asks audience whether the batch still belongs to this process. Renewing goes on after the lease
 * has ended, until audience says that the batch is no longer this process's: pushes that were sent and are not yet with the tracker must not be sent
 * by another dispatcher, however long a database was away.
 */
export function keepLease(takenAt: number, renew: () => Promise<boolean>, now: () => number = () => performance.now()): Lease {
  const [lost, taken] = [new AbortController(), new AbortController()]
  let until = takenAt + leaseMs
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
      taken.abort()
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
    taken: taken.signal,
    release() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
