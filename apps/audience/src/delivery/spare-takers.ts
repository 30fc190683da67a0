import type { DatabaseWatch } from '@herald/service/health'
import type { Audience } from '../audience.ts'
import { extendLeases } from './store/taken-batches.ts'

/**
 * Extends the leases of taken batches (`extendLeases`) when audience starts, and when its database or NATS is back. While audience, its database or
 * NATS was away, living dispatchers could neither renew their leases nor report what they had sent. If another dispatcher took their batches at once,
 * the ledger would not have the outcomes yet and devices would get pushes twice. A living dispatcher renews its lease within 2 s, on a starved
 * machine within 12 s. The batches of a dead dispatcher wait for one more lease. At the start, and when NATS is back, nothing is extended when a
 * recently renewed lease shows that audience was hardly away, or only this process was. Returns a function whose promise resolves when the leases are extended or extending them has failed; until then no
 * batch may be given out, and no lease renewed.
 */
export function spareTakers({ db, bus, log }: Pick<Audience, 'db' | 'bus' | 'log'>, watch: DatabaseWatch): () => Promise<void> {
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
