import type { DatabaseWatch } from '@herald/service/health'
import type { Audience } from '../audience.ts'
import { extendLeases } from './store/leases.ts'

/**
 * While this process or its database or NATS was away, living dispatchers could not renew their leases nor report what they have
 * sent. A batch taken again at once would meet a ledger that does not know it yet, and its devices would get copies. So with each
 * return every lease begins anew: who lives renews it within a second or two, twelve if the machine is starved, and what a dead one left
 * waits so much longer. So it is at the start, unless a fresh lease shows that audience was hardly away. Answers what handing out batches
 * waits for.
 */
export function spareTakers({ db, bus, log }: Pick<Audience, 'db' | 'bus' | 'log'>, watch: DatabaseWatch): () => Promise<void> {
  const spare = async (unlessRenewed: boolean) => {
    try {
      await extendLeases(db, { unlessRenewed })
    } catch (error) {
      // Away again: it is asked again when it is back.
      if (watch.up) log.error({ err: error }, 'leases were not extended')
    }
  }
  let spared = spare(true)
  const again = () => void (spared = spare(false))
  watch.onReturn(again)
  bus.onReconnect(again)
  return () => spared
}
