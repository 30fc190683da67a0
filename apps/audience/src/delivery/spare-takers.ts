import type { DatabaseWatch } from '@herald/service/health'
import type { Audience } from '../audience.ts'
import { extendLeases } from './store/taken-batches.ts'

/**
 * Extends all leases when audience starts, and when its database or NATS is back. Meanwhile living dispatchers could neither renew their
 * leases nor report what they had sent: a batch that is taken again at once would not be in the ledger yet, and its devices would get copies.
 * A living dispatcher renews its lease within a second or two, or twelve on a starved machine; the batches of a dead one wait that much
 * longer. At the start nothing is extended when a fresh lease shows that audience was hardly away. The answer resolves when the leases are
 * extended: no batch may be given out before.
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
  const again = () => void (spared = spare(false))
  watch.onReturn(again)
  bus.onReconnect(again)
  return () => spared
}
