import type { DatabaseWatch } from '@herald/service/health'
import type { Audience } from '../audience.ts'
import { extendLeases } from './store/taken-batches.ts'

/**
 * Extends the leases of taken batches when audience starts, and when its database or NATS is back. Gives a function whose promise resolves when that
 * was done or failed: until then batches are neither taken nor renewed.
 */
export function spareTakers({ db, bus, log }: Pick<Audience, 'db' | 'bus' | 'log'>, watch: DatabaseWatch): () => Promise<void> {
  // Living dispatchers could not report what they sent: a new taker would send it twice. They renew within 2 s, on a starved machine within 12 s.
  // `unlessRenewed`: extends nothing when a recent renewal shows that audience was hardly away.
  const spare = async (unlessRenewed: boolean) => {
    try {
      await extendLeases(db, { unlessRenewed })
    } catch (error) {
      // The database is away again. The leases are extended when it is back.
      if (watch.up) log.error({ err: error }, 'leases were not extended')
    }
  }
  let spared = spare(true)
  watch.onReturn(() => void (spared = spare(false)))
  bus.onReconnect(() => void (spared = spare(true)))
  return () => spared
}
