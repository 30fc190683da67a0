import { listOpenCircuits, type OpenCircuit } from '@herald/contracts/calls/audience'
import { readReconciliation } from '@herald/contracts/calls/tracker'
import { Fault } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import type { DatabaseWatch } from '@herald/service/health'
import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'
import { readStandby, type Standby } from './store/standby.ts'
import manifest from '../../package.json' with { type: 'json' }

type ShownCircuits = { count: number; items: OpenCircuit[] }

/** The state of Herald as a whole, for its operator. */
export type System = {
  version: string
  baseUrl: string | null
  database: 'ready' | 'unreachable'
  standby: Standby | null
  queue: 'ready' | 'unreachable'
  ledgerDifference: number | null
  openCircuits: ShownCircuits | null
  /** Whether TRUSTED_PROXIES is set. */
  trustedProxies: boolean
  simulator: boolean
}

/**
 * Reads the state of Herald as a whole, in 3 s at most: the calls to other services have that limit. It answers also while the database, NATS or a
 * service is away; what cannot be known is null.
 */
export async function readSystem({
  db,
  bus,
  watch,
  baseUrl,
  trustedProxies,
  simulator,
  onlyApp,
}: {
  db: Kysely<Tables>
  bus: Bus
  watch: DatabaseWatch
  /** HERALD_BASE_URL, or the address that this request was sent to; null when the request named no valid host. */
  baseUrl: string | null
  trustedProxies: boolean
  simulator: boolean
  /** The one app whose circuits are shown; undefined: those of all apps. */
  onlyApp: string | undefined
}): Promise<System> {
  const queueIsUp = bus.up
  const [reconciliation, circuits] = queueIsUp
    ? await Promise.all([orNull(bus.call(readReconciliation, {})), orNull(bus.call(listOpenCircuits, {}))])
    : [null, null]
  return {
    version: manifest.version,
    baseUrl,
    database: watch.up ? 'ready' : 'unreachable',
    standby: await orNull(watch.guard(() => readStandby(db))),
    queue: queueIsUp ? 'ready' : 'unreachable',
    ledgerDifference: reconciliation && differenceOf(reconciliation),
    openCircuits: circuits && circuitsOf(circuits, onlyApp),
    trustedProxies,
    simulator,
  }
}

function circuitsOf({ count, circuits }: { count: number; circuits: OpenCircuit[] }, onlyApp: string | undefined): ShownCircuits {
  if (onlyApp === undefined) return { count, items: circuits }
  const items = circuits.filter(({ appId }) => appId === onlyApp)
  return { count: items.length, items }
}

/**
 * Gives the difference between counters and ledger that the tracker's reconciler found. When it has found none (0) but has not yet checked every
 * campaign, the difference is not known: null.
 */
const differenceOf = ({ difference, roundEndedAt }: { difference: number; roundEndedAt: string | null }): number | null =>
  roundEndedAt === null && difference === 0 ? null : difference

/** Gives the answer of a service or of the database, or null when it cannot answer now. */
async function orNull<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked
  } catch (error) {
    if (Fault.is(error) && (error.status === 503 || error.status === 429)) return null
    throw error
  }
}
