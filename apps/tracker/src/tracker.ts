import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { Reads } from '@herald/service/postgres'
import type { EnsureDay } from './days.ts'
import type { FollowUp } from './follow-up.ts'
import type { Db, Tables } from './store/tables.ts'

/** What the flows of the tracker have at hand. */
export type Tracker = {
  readonly db: Db
  /** For flows that only read: connections of their own, in turn between apps. */
  readonly reads: Reads<Tables>
  readonly bus: Pick<Bus, 'call' | 'publish'>
  readonly log: Log
  /** Days that the ledger keeps outcomes. */
  readonly retentionDays: number
  /** Days that counters are kept. */
  readonly counterDays: number
  readonly ensureDay: EnsureDay
  readonly followUp: FollowUp
}
