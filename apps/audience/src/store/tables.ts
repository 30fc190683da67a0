import type { AppSettings } from '@herald/contracts/app'
import type { CircuitEnvironment, Decided, FrozenSend } from '@herald/contracts/batch'
import type { CampaignFlow } from '@herald/contracts/calls/audience'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { Event } from '@herald/contracts/event'
import type { FailureCode } from '@herald/contracts/outcome'
import type { Lane, Platform } from '@herald/contracts/platform'
import type { Tags } from '@herald/contracts/text'
import type { ColumnType, Generated, Kysely, Selectable } from 'kysely'
import type { Wave } from '../core/waves.ts'

/** JSON columns are read as values and written as text: `pg` would turn a plain array into a Postgres array. */
type Json<Value> = ColumnType<Value, string, string>
type JsonOrNull<Value> = ColumnType<Value | null, string | null, string | null>

/** The schema of audience, as migrations/ makes it. A Transaction is a Db too. */
export type Tables = {
  users: UserTable
  subscriptions: SubscriptionTable
  last_notified: { subscription_id: string; at: Date }
  notified_apps: { app_id: string; named_at: Date; round: Generated<number>; read_to: string | null; is_read: Generated<boolean> }
  segments: SegmentTable
  fan_outs: FanOutTable
  batches: BatchTable
  gone_devices: { subscription_id: string; due_at: Generated<Date> }
  wave_claims: { campaign_id: string; subscription_id: string }
  cap_claims: { app_id: string; user_id: string; campaign_id: string; at: Generated<Date>; expires_at: Date }
  circuits: CircuitTable
  guarded_invalidations: GuardedInvalidationTable
  announcements: AnnouncementTable
  erasures: { user_id: string; app_id: string; due_at: Generated<Date>; tries: Generated<number> }
  abandoned_users: { user_id: string; due_at: Generated<Date> }
  erased_apps: { app_id: string; at: Generated<Date> }
}
export type Db = Kysely<Tables>

export type UserTable = {
  id: string
  app_id: string
  external_id: string | null
  tags: ColumnType<Tags, string | undefined, string>
  language: string | null
  timezone: string | null
  country: string | null
  created_at: Generated<Date>
  last_active_at: Generated<Date>
  /** A secret key wrote to them. */
  by_backend: Generated<boolean>
}

export type SubscriptionTable = {
  id: string
  app_id: string
  user_id: string
  platform: Platform
  address: string
  address_hash: Buffer
  p256dh: string | null
  auth: string | null
  token_version: Generated<number>
  apns_environment: 'production' | 'sandbox' | null
  registered_at: Generated<Date>
  opted_in: Generated<boolean>
  app_version: string | null
  sdk_version: string | null
  os_version: string | null
  device_model: string | null
  browser: string | null
  standalone: boolean | null
  session_count: Generated<number>
  last_session_at: Generated<Date | null>
  created_at: Generated<Date>
  last_active_at: Generated<Date>
  invalidated_at: Date | null
}

export type SegmentTable = {
  id: string
  app_id: string
  name: string
  /** In lower case, for the list's `q`. */
  folded_name: string
  description: string | null
  /** `json`, not `jsonb`: kept word for word. */
  definition: Json<Record<string, unknown>>
  last_count: number | null
  last_counted_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type FanOutState = 'running' | 'waiting' | 'between_waves' | 'fanned_out' | 'failed'

export type FanOutTable = {
  campaign_id: string
  app_id: string
  day: Generated<string>
  send: JsonOrNull<FrozenSend>
  target: JsonOrNull<FrozenTarget>
  settings: JsonOrNull<AppSettings>
  started_at: Generated<Date>
  bound_id: string
  cursor: Generated<string>
  page: Generated<number>
  queued_ios: Generated<number>
  queued_android: Generated<number>
  queued_web: Generated<number>
  lane: Lane | null
  state: Generated<FanOutState>
  told_page: Generated<number>
  /** How many batches its pages have made: the number of the last one. */
  batches: Generated<number>
  /** Up to which of them the ledger was told. */
  told_batches: Generated<number>
  failure: JsonOrNull<FanOutFailure>
  lease_until: Date | null
  due_at: Generated<Date | null>
  pointer_no: Generated<number>
  settled_at: Date | null
  /** Tries of the page that is next which failed for reasons of their own. */
  failures: Generated<number>
  last_failure: string | null
  flow: Generated<CampaignFlow>
  flow_no: Generated<number>
  /** Null: everybody at once. */
  waves: JsonOrNull<Wave[]>
  /** Which of them is cut. */
  wave: Generated<number>
  /** What `waves` was, once the claims of a settled send are gone. */
  past_waves: ColumnType<Wave[] | null, string | null | undefined, string | null>
}
export type FanOut = Selectable<FanOutTable>
/** Why a campaign cannot be fanned out, in words a person can act on. */
export type FanOutFailure = { code: string; message: string }

export type BatchTable = {
  id: string
  app_id: string
  campaign_id: string
  platform: Platform
  lane: Lane
  day: string
  queued_at: Generated<Date>
  /** The number, per campaign, of the batch that its pushes were queued in: retries keep it. */
  batch_no: number
  /** The places that its pushes have there; null: from 0 on, in order. */
  places: number[] | null
  subscription_ids: string[]
  user_ids: string[]
  tries: Generated<number>
  decided: JsonOrNull<Decided[]>
  retry_of: string | null
  not_before: Date | null
  held_since: Date | null
  /** The environment of the open circuit whose probe the take is; null: it is none. */
  probes: CircuitEnvironment | null
  takes: Generated<number>
  spared: Generated<number>
  lease_until: Date | null
  due_at: Generated<Date | null>
  pointer_no: Generated<number>
  done_at: Date | null
  /** Of a retry: why its pushes come back, and the provider's own word. */
  last_code: Generated<FailureCode | null>
  last_provider_code: Generated<string | null>
}

export type CircuitTable = {
  app_id: string
  platform: Platform
  environment: Generated<CircuitEnvironment>
  state: Generated<'closed' | 'open'>
  /** The code that held pushes end with. */
  code: FailureCode | null
  since: Generated<Date>
  probe_at: Date | null
  /** The last 200 answers, newest last, a letter each (contracts' FinishBatch). */
  answers: Generated<string>
  /** The credentials it speaks of; of others it knows nothing. */
  credentials_version: number | null
}

export type GuardedInvalidationTable = {
  subscription_id: string
  app_id: string
  platform: Platform
  environment: CircuitEnvironment
  token_version: number
  at: Generated<Date>
}

export type AnnouncementTable = {
  id: string
  subject: string
  body: Json<Event[]>
  due_at: Generated<Date>
  pointer_no: Generated<number>
}
