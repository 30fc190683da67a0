import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Experiment, NamedBy, Schedule } from '@herald/contracts/campaign'
import type { FrozenCategory } from '@herald/contracts/category'
import type { Content } from '@herald/contracts/content'
import type { LiveActivity } from '@herald/contracts/live-activity'
import type { Overrides } from '@herald/contracts/overrides'
import type { FrozenRecall, RecallMode } from '@herald/contracts/recall'
import type { Presentation, Priority } from '@herald/contracts/send-fields'
import type { CampaignStatus } from '@herald/contracts/stats'
import type { NotQueued } from '@herald/contracts/test-send'
import type { ColumnType, Generated, Kysely } from 'kysely'

/** JSON columns are written as text, because `pg` would turn a list into a Postgres array. */
type Json<T> = ColumnType<T, string, string>
type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>

/** What is left of a target that named users or devices, once the send has ended. */
export type ForgottenTarget = { kind: 'forgotten'; by: NamedBy; count: number }

/** The fields of the 2xx answer to a request with an Idempotency-Key, which a replay gets again. `notQueued`: what a test cannot reach. */
export type KeptAnswer = {
  id: string
  status: 'sending' | 'draft' | 'scheduled' | 'cancelled' | 'paused'
  notQueued?: NotQueued[]
}

/** The tables of campaigns, as apps/campaigns/migrations makes them. */
export type Tables = {
  campaigns: {
    id: string
    app_id: string
    name: string
    status: CampaignStatus
    transactional: boolean
    /** Null in a campaign with a saved segment until it is sent. */
    target: OptionalJson<FrozenTarget | ForgottenTarget>
    content: OptionalJson<Content>
    template_id: string | null
    silent: boolean
    data: Json<Record<string, string>>
    ttl: number
    collapse_id: string | null
    priority: Priority
    presentation: OptionalJson<Presentation>
    overrides: OptionalJson<Overrides>
    bypass: Json<FrozenSend['bypass']>
    /** Null in a notification, which is sent as soon as it is accepted. */
    schedule: OptionalJson<Schedule>
    segment_id: string | null
    experiment: OptionalJson<Experiment>
    /** How many pushes a minute are handed over for the first time; 0 when the rate was taken away, null when there never was one. */
    send_rate: number | null
    /** How often the draft was replaced. */
    revision: Generated<number>
    recurring_of: string | null
    /** In a run of a recurrence: its day in the schedule's time zone, YYYY-MM-DD. */
    local_date: string | null
    activated_at: Date | null
    missed_count: Generated<number>
    /** How many runs a recurrence has made; null before its first. */
    run_count: number | null
    remainder_of: string | null
    /** The sample rate of the experiment `remainder_of`. A user whose hash is below it was in the sample. */
    remainder_rate: number | null
    /** The variant of that experiment whose content this campaign sends, and the operator who picked it; null for a secret key. */
    remainder_variant: string | null
    remainder_by: string | null
    remainder_decided: string | null
    /** In the follow-up of a recall: the campaign that it recalls, and how. */
    recall_of: string | null
    recall: OptionalJson<{ mode: RecallMode; skipOpened: boolean; variants: FrozenRecall['variants'] }>
    winner_due_at: Date | null
    /** In a send at each user's local time: each user gets it when that local time next comes after this moment. */
    local_times_after: Date | null
    /** True once a cancel of the send under way was asked for. */
    cancelling: Generated<boolean>
    /** `flow_no`: how often the flow was changed. `flow_due_at`: when audience is told of the last change again; null when no answer is awaited. */
    flow_no: Generated<number>
    flow_due_at: Date | null
    /** Since when the campaign is paused; null while it is not paused. */
    paused_at: Date | null
    category: OptionalJson<FrozenCategory>
    inbox: Generated<boolean>
    /** What a send tells a Live Activity; null in any other row. */
    activity: OptionalJson<LiveActivity>
    /** The operator or administration key that made it; null when a secret key or Herald did. */
    author: string | null
    /** True in a test, null in every other row. */
    test: Generated<boolean | null>
    failure: OptionalJson<{ code: string; message: string }>
    /** When the sweep next tells audience of the send (`sending`), starts the campaign (`scheduled`) or runs or ends it (`active`); null for never. */
    due_at: Date | null
    pointer_no: Generated<number>
    /** How often the send could not be begun; null for never. */
    failed_starts: number | null
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
    overrides: OptionalJson<Overrides>
    ttl: number | null
    collapse_id: string | null
    priority: Priority | null
    silent: boolean | null
    category: string | null
    send_rate: number | null
    /** The uses that the sweep has added up. Newer uses are rows of `template_uses`. */
    use_count: Generated<number>
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  categories: {
    app_id: string
    id: string
    name: string
    description: string | null
    default: FrozenCategory['default']
    locked: Generated<boolean>
    presentation: OptionalJson<Presentation>
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  /** Triggers on `campaigns` write these rows (migrations/0200). */
  template_uses: { id: Generated<number>; template_id: string; uses: number }
  idempotency_keys: {
    app_id: string
    key: string
    /** SHA-256 of method, path and canonical body, 64 hex characters. */
    fingerprint: string
    campaign_id: string
    answer: Json<KeptAnswer>
    created_at: Generated<Date>
  }
  /** `last_at`: the timestamp of the activity's last accepted send, in Unix seconds. */
  activities: { app_id: string; activity_id: string; last_at: number }
  erased_apps: { app_id: string; at: Generated<Date> }
}

/** The connection pool or a transaction. */
export type Db = Kysely<Tables>
