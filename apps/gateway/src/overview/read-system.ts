import { listOpenCircuits, type OpenCircuit } from '@herald/contracts/calls/audience'
import { readReconciliation } from '@herald/contracts/calls/tracker'
import { Fault } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import type { DatabaseWatch } from '@herald/service/health'
import manifest from '../../package.json' with { type: 'json' }

/** How Herald as a whole is doing, for its operator. */
export type System = {
  version: string
  baseUrl: string | null
  database: 'ready' | 'unreachable'
  queue: 'ready' | 'unreachable'
  ledgerDifference: number | null
  openCircuits: { count: number; items: OpenCircuit[] } | null
  simulator: boolean
}

/**
 * Reads how Herald as a whole is doing. It answers also while something is away, which is when operators ask: what cannot be known is null. Waits
 * for other apps as long as their calls may take, 3 s.
 */
export async function readSystem({
  bus,
  watch,
  baseUrl,
  simulator,
}: {
  bus: Bus
  watch: DatabaseWatch
  /** HERALD_BASE_URL, or the address that this request was sent to. */
  baseUrl: string | null
  simulator: boolean
}): Promise<System> {
  const queueIsUp = bus.up
  const [reconciliation, circuits] = queueIsUp
    ? await Promise.all([orNull(bus.call(readReconciliation, {})), orNull(bus.call(listOpenCircuits, {}))])
    : [null, null]
  return {
    version: manifest.version,
    baseUrl,
    database: watch.up ? 'ready' : 'unreachable',
    queue: queueIsUp ? 'ready' : 'unreachable',
    ledgerDifference: reconciliation && differenceOf(reconciliation),
    openCircuits: circuits && { count: circuits.count, items: circuits.circuits },
    simulator,
  }
}

/** Null while the reconciler has found nothing and has not yet looked at everything. */
const differenceOf = ({ difference, roundEndedAt }: { difference: number; roundEndedAt: string | null }): number | null =>
  roundEndedAt === null && difference === 0 ? null : difference

/** The answer, or null where the app cannot be asked now. */
async function orNull<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked
  } catch (error) {
    if (Fault.is(error) && (error.status === 503 || error.status === 429)) return null
    throw error
  }
}
