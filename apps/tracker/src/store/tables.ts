import type { EngagementKind } from '@herald/contracts/event'
import type { OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import type { Generated, Kysely } from 'kysely'

/** The tracker's schema, as migrations/ makes it. `day` is text, `YYYY-MM-DD`: a name, not an instant. */
export type Tables = {
  ledger: {
    day: string
    campaign_id: string
    subscription_id: string
    app_id: string
    user_id: string
    platform: Platform
    /** Empty without an experiment. */
    variant: string
    outcome: OutcomeKind
    /** Failure code or skip reason, empty for sent. */
    code: string
    provider_code: string
    token_version: number
    attempts: number
    settled_at: Generated<Date>
  }
  engagements: {
    day: string
    campaign_id: string
    subscription_id: string
    kind: EngagementKind
    /** What the msgId names; empty without an experiment. */
    variant: Generated<string>
    at: Generated<Date>
  }
  counters: Counts & {
    campaign_id: string
    app_id: string
    day: string
    name: string
    transactional: boolean
    queued_ios: number
    queued_android: number
    queued_web: number
    settled_ios: Generated<number>
    settled_android: Generated<number>
    settled_web: Generated<number>
    created_at: Generated<Date>
    fanned_out_at: Date | null
    settled_at: Date | null
  }
  variant_counters: Counts & { campaign_id: string; variant: string }
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

/** The pool or a transaction of it. */
export type Db = Kysely<Tables>
