import { leaseMs, leaseRenewMs } from '@herald/contracts/batch'

/**
 * The pause before the lease is renewed again when the last renewal got no answer. It is short, so that after an outage the lease is renewed before
 * audience gives the batch to another dispatcher.
 */
const againAfterMs = 1_000

/**
 * A batch's lease: it ends 12 s after the take or last granted renewal was asked for, by the monotonic clock. A process that was frozen must not
 * deliver what another has taken (docs/architecture.md, Leases).
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
  readonly takenAway: AbortSignal
  release(): void
}

/**
 * Keeps a batch's lease by renewing it. `takenAt`: `performance.now()` just before the take was asked for, so that it ends before audience's. `renew`
 * asks audience whether the batch is still this process's.
 */
export function keepLease(takenAt: number, renew: () => Promise<boolean>, now: () => number = () => performance.now()): Lease {
  const [lost, takenAway] = [new AbortController(), new AbortController()]
  let until = takenAt + leaseMs
  let timer: NodeJS.Timeout | undefined

  const renewIn = (ms: number) => {
    timer = setTimeout(() => void renewOnce(), ms)
  }
  const renewOnce = async () => {
    const askedAt = now()
    if (askedAt >= until) lost.abort()
    // Also after the lease's end, until audience says no: no other dispatcher must send what is sent and not yet with the tracker.
    const isOurs = await renew().catch(() => undefined)
    if (isOurs) until = askedAt + leaseMs
    if (isOurs === false) {
      takenAway.abort()
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
    takenAway: takenAway.signal,
    release() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
