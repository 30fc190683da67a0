import type { EngagementKind } from '@herald/contracts/event'
import type { Bus } from '@herald/service/bus'
import type { Log } from '@herald/service/log'
import type { Reads } from '@herald/service/postgres'
import type { EnsureDay } from './days.ts'
import type { RememberedRows } from './remembered-rows.ts'
import type { Db, Tables } from './store/tables.ts'
import type { AnnouncementRow } from './store/announcements.ts'
import type { CountedOutcomes } from './measures.ts'

/** Does what follows a commit: counts metrics and, in the background, publishes announcements and tells campaigns and audience of settlements. */
export type FollowUp = (committed: {
  announcements: AnnouncementRow[]
  settled: string[]
  /** For the metrics: pushes that got an outcome, and kinds of reports that devices sent. */
  outcomes?: CountedOutcomes[]
  engagements?: EngagementKind[]
}) => void

/** What the functions behind the calls and sweeps of the tracker work with. Made in start.ts. */
export type Tracker = {
  readonly db: Db
  /** Connections that keep the plans of the statements of each commit (kept-plans.ts). */
  readonly frequentDb: Db
  readonly remembered: RememberedRows
  /** Runs reads over connections of their own, which apps use in turn. */
  readonly reads: Reads<Tables>
  readonly bus: Pick<Bus, 'call' | 'publish'>
  readonly log: Log
  /** The ledger keeps outcomes for this many days. */
  readonly retentionDays: number
  readonly counterDays: number
  /** For how many days the counters of notifications are kept. */
  readonly transactionalDays: number
  readonly ensureDay: EnsureDay
  readonly followUp: FollowUp
}

/** The tables of the ledger, and for how many days it keeps outcomes. */
export type Ledger = Pick<Tracker, 'db' | 'retentionDays'>
