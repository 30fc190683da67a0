import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Experiment, Schedule } from '@herald/contracts/campaign'
import type { Content } from '@herald/contracts/content'
import type { Presentation, Priority } from '@herald/contracts/send-fields'
import type { CampaignStatus } from '@herald/contracts/stats'
import type { NotQueued } from '@herald/contracts/test-send'
import type { ColumnType, Generated, Kysely } from 'kysely'

/** JSON is written as text: `pg` would turn a top-level list into a Postgres array. */
type Json<T> = ColumnType<T, string, string>
type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>

/** The schema of campaigns, as migrations/ makes it. */
export type Tables = {
  campaigns: {
    id: string
    app_id: string
    name: string
    status: CampaignStatus
    transactional: boolean
    /** Null while a draft names a saved segment: its definition is copied at send. */
    target: OptionalJson<FrozenTarget>
    content: OptionalJson<Content>
    template_id: string | null
    silent: boolean
    data: Json<Record<string, string>>
    ttl: number
    collapse_id: string | null
    priority: Priority
    presentation: OptionalJson<Presentation>
    bypass: Json<FrozenSend['bypass']>
    /** Null for a notification: it is sent as it is accepted. */
    schedule: OptionalJson<Schedule>
    segment_id: string | null
    experiment: OptionalJson<Experiment>
    /** How often the draft was replaced. */
    revision: Generated<number>
    recurring_of: string | null
    /** The day of a recurring run in its schedule's zone, YYYY-MM-DD. */
    local_date: string | null
    activated_at: Date | null
    missed_count: Generated<number>
    remainder_of: string | null
    /** The sample rate of that experiment: a user whose hash is below it was in the sample. */
    remainder_rate: number | null
    /** For a send at each user's local time: each user gets it at the first such time after this moment. */
    local_times_after: Date | null
    /** The administration asked for a cancel while the send was under way. */
    cancelling: Generated<boolean>
    /** The number of the last change of the send's flow, and when audience is told of it again; null when audience has answered. */
    flow_no: Generated<number>
    flow_due_at: Date | null
    /** Since when it is paused; null while it is not. */
    paused_at: Date | null
    /** True in a test, null in every other row. */
    test: Generated<boolean | null>
    failure: OptionalJson<{ code: string; message: string }>
    /** When a sending one is pointed at again, a scheduled one starts, an active one has its next occurrence or its end. */
    due_at: Date | null
    pointer_no: Generated<number>
    created_at: Generated<Date>
    started_at: Date | null
    settled_at: Date | null
  }
  templates: {
    id: string
    app_id: string
    name: string
    description: string | null
    content: Json<Content>
    data: OptionalJson<Record<string, string>>
    presentation: OptionalJson<Presentation>
    ttl: number | null
    collapse_id: string | null
    priority: Priority | null
    silent: boolean | null
    /** The uses that are added up. The others are rows of `template_uses`. */
    use_count: Generated<number>
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  /** Written by triggers of campaigns (migrations/0030). */
  template_uses: { id: Generated<number>; template_id: string; uses: number }
  idempotency_keys: {
    app_id: string
    key: string
    /** SHA-256 of method, path and canonical body, 64 hex characters. */
    fingerprint: string
    campaign_id: string
    /** The body of the 2xx that was answered. */
    answer: Json<{ id: string; status: 'sending' | 'draft'; notQueued?: NotQueued[] }>
    created_at: Generated<Date>
  }
  erased_apps: { app_id: string; at: Generated<Date> }
}

/** The pool or a transaction of it. */
export type Db = Kysely<Tables>
