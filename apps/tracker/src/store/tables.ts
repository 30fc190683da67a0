import type { AttributedHow } from '@herald/contracts/conversion'
import type { EngagementKind, EngagementLetter } from '@herald/contracts/event'
import type { Attempt, OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import type { ColumnType, Generated, Kysely } from 'kysely'

/** The tables of the tracker, as apps/tracker/migrations makes them. `day` is a UTC day as text, `YYYY-MM-DD`. */
export type Tables = {
  ledger_batches: Record<OutcomeKind, Generated<number>> & {
    day: string
    batch_no: number
    /** The place, within the batch, of the first push in this row. */
    place: number
    size: number
    campaign_id: Buffer
    app_id: Buffer
    platform: Platform
    /** Null in the row of a single push. */
    first_id: Buffer | null
    last_id: Buffer | null
    devices: Buffer
    users: Buffer
    slots: Buffer
    ends: Generated<string>
  }
  /** For pushes that were attempted more than once: the provider's answers before the last one. */
  ledger_attempts: { day: string; campaign_id: Buffer; batch_no: number; place: number; trail: ColumnType<Attempt[], string, string> }
  engagements: {
    day: string
    campaign_id: Buffer
    subscription_id: Buffer
    /** A letter, as in the address of a report (`engagementKinds`). */
    kind: EngagementLetter
    /** The variant that the report's msgId names; empty outside of an experiment. */
    variant: Generated<string>
    at: Generated<Date>
  }
  counters: Counts &
    Record<`queued_${Platform}`, number> &
    Record<`settled_${Platform}`, Generated<number>> & {
      campaign_id: string
      app_id: string
      day: string
      name: string
      transactional: boolean
      created_at: Generated<Date>
      fanned_out_at: Date | null
      settled_at: Date | null
      /** True when the campaign has a batch of more than 16 pushes, whose row is found by the range of its devices. */
      has_ranges: Generated<boolean>
      /** True for a test, which is counted in no series and whose events say that it is a test. */
      test: Generated<boolean>
      /** True for a silent send: having had it influences nobody. */
      silent: Generated<boolean>
      /** True for a send that people find in their inbox. */
      inbox: Generated<boolean>
    }
  inbox_reads: {
    app_id: string
    user_id: string
    campaign_id: string
    read_at: Date | null
    hidden: Generated<boolean>
    at: Generated<Date>
  }
  inbox_marks: { app_id: string; user_id: string; read_until: Date }
  variant_counters: Counts & { campaign_id: string; variant: string }
  campaign_conversions: Record<'count' | 'users' | AttributedHow, Generated<number>> & {
    campaign_id: string
    variant: string
    name: string
    /** The row with the empty currency has the numbers, the others have the sum of the values in their currency. */
    currency: string
    value: Generated<string>
  }
  conversion_names: { app_id: string; name: string; created_at: Generated<Date> }
  app_hours: Counts & {
    app_id: string
    hour: Date
    platform: Platform
    slot: number
    queued: Generated<number>
    converted: Generated<number>
  }
  app_hour_codes: CountOfCode & { app_id: string; hour: Date; slot: number }
  /** Hours more than 35 days old, merged by UTC day. */
  app_days: Counts & { app_id: string; day: string; platform: Platform; queued: number; converted: Generated<number> }
  app_day_codes: CountOfCode & { app_id: string; day: string }
  campaign_codes: CountOfCode & { campaign_id: string }
  campaign_actions: { campaign_id: string; action: string; clicked: number }
  curve_steps: Record<EngagementKind, number> & { campaign_id: string; step: number; converted: Generated<number> }
  announcements: {
    id: string
    subject: string
    /** The announcement as JSON, as it is published. */
    body: string
    due_at: Date
    pointer_no: Generated<number>
  }
  settlements: {
    campaign_id: string
    campaigns_told: Generated<boolean>
    audience_told: Generated<boolean>
    due_at: Date
  }
  erased_apps: { app_id: string; at: Generated<Date> }
}

type Counts = Record<OutcomeKind | EngagementKind, Generated<number>>
type CountOfCode = { platform: Platform; outcome: OutcomeKind; code: string; count: number }

/** The connection pool or a transaction. */
export type Db = Kysely<Tables>
