import type { AppSettings } from '@herald/contracts/app'
import type { CircuitEnvironment, Decided, FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { CampaignFlow } from '@herald/contracts/campaign'
import type { Choices } from '@herald/contracts/category'
import type { Event } from '@herald/contracts/event'
import type { ImportFormat, ImportReport } from '@herald/contracts/import'
import type { Attempt, FailureCode } from '@herald/contracts/outcome'
import type { Lane, Platform } from '@herald/contracts/platform'
import type { Tags } from '@herald/contracts/text'
import type { ColumnType, Generated, Kysely } from 'kysely'
import type { Wave } from '../sends/core/waves.ts'

/** A JSON column is read as a value and written as text, because the driver `pg` would write a plain array as a Postgres array. */
type Json<Value> = ColumnType<Value, string, string>
type JsonOrNull<Value> = ColumnType<Value | null, string | null, string | null>

/** The tables of audience, as migrations/ makes them, except `listeners`, which only plain SQL names (libs/service/src/listeners.ts). */
export type Tables = {
  users: UserTable
  subscriptions: SubscriptionTable
  last_notified: { subscription_id: string; at: Date }
  notified_apps: { app_id: string; named_at: Date; round: Generated<number>; read_to: string | null; is_read: Generated<boolean> }
  test_devices: { subscription_id: string; app_id: string; marked_at: Generated<Date> }
  segments: SegmentTable
  fan_outs: FanOutTable
  batches: BatchTable
  gone_devices: { subscription_id: string; due_at: Generated<Date> }
  wave_claims: { campaign_id: string; subscription_id: string }
  cap_claims: { app_id: string; user_id: string; campaign_id: string; at: Generated<Date>; expires_at: Date }
  circuits: CircuitTable
  accepted_devices: AcceptedDeviceTable
  activity_tokens: ActivityTokenTable
  activities: { app_id: string; activity_id: string; told_at: number; ended_at: number | null }
  badges: { app_id: string; subscription_id: string; badge: number }
  send_rates: SendRateTable
  /** `next_at`: when the next batch of a send with a rate has its turn. */
  send_turns: { app_id: string; campaign_id: string; next_at: Generated<Date> }
  guarded_invalidations: GuardedInvalidationTable
  announcements: AnnouncementTable
  erasures: { user_id: string; app_id: string; due_at: Generated<Date>; tries: Generated<number> }
  abandoned_users: { user_id: string; due_at: Generated<Date> }
  erased_apps: { app_id: string; at: Generated<Date> }
  device_days: DeviceDayTable
  /** `until`: when the lease of the process that counts the devices of the app's newest day ends; `infinity` when the day is counted. */
  device_day_claims: { app_id: string; day: string; until: Date }
  former_devices: { user_id: string; subscription_id: string; until: Generated<Date> }
  imports: ImportTable
  import_errors: { import_id: string; row: number; column: string | null; code: string; message: string }
  import_dry_rows: { import_id: string; key: string; state: Json<unknown> }
}
export type Db = Kysely<Tables>

export type ActivityTokenTable = {
  app_id: string
  subscription_id: string
  starts: boolean
  name: string
  attributes_type: string
  token: string
  token_version: Generated<number>
  changed_at: Generated<Date>
}

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
  /**
   * Whether a request with a secret key (other than a logout), or an import, has ever made or changed the user. True for all users older than this
   * column.
   */
  by_backend: Generated<boolean>
  /** When tags, language, timezone or country last changed; null when they have not changed since this column was added. */
  changed_at: Generated<Date | null>
  /** The user's own choices of categories; null while the user has chosen nothing. */
  preferences: ColumnType<Choices | null, string | null | undefined, string | null>
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
  /**
   * Since when the device is opted out; meaningless while `opted_in` is true. Null for opt-outs that are older than this column, and for devices that
   * an import made as opted out.
   */
  opted_out_at: Generated<Date | null>
  /** This code and the campaign id below say why the device was invalidated. They mean something only while `invalidated_at` is set. */
  invalidated_code: Generated<string | null>
  invalidated_campaign_id: Generated<string | null>
  /**
   * When a PATCH request of the device last named its app version, system version or model, or an import last updated the device; also when all
   * values stayed the same. Registrations and sessions do not count.
   */
  told_at: Generated<Date | null>
  /** The campaigns in which the provider refused the device and accepted others, as `<token version>.<credentials version>:<campaign id>`; at most three. */
  refused_in: Generated<string[] | null>
}

/** How many devices of one platform an app had at the end of a UTC day. */
export type DeviceDayTable = {
  app_id: string
  day: string
  platform: Platform
  taken_at: Generated<Date>
  total: number
  reachable: number
  opted_out: number
  invalidated: number
  active_1d: number
  active_7d: number
  active_30d: number
  /** How many devices have a `created_at` on that day and were not deleted before they were counted. */
  new: number
}

export type SegmentTable = {
  id: string
  app_id: string
  name: string
  /** The name in lower case. The list finds the segments whose folded name begins with its parameter `q`. */
  folded_name: string
  description: string | null
  /** The column has the type `json`, because `jsonb` would not keep the order of keys and the form of numbers. */
  definition: Json<Record<string, unknown>>
  last_count: number | null
  last_counted_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type FanOutState = 'running' | 'waiting' | 'between_waves' | 'fanned_out' | 'failed'

export type FanOutTable = Record<`queued_${Platform}`, Generated<number>> & {
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
  lane: Lane | null
  state: Generated<FanOutState>
  told_page: Generated<number>
  /** How many batches were made for the pages so far, which is also the number of the last batch. */
  batches: Generated<number>
  /** The number of the last batch that was reported to the ledger. */
  told_batches: Generated<number>
  failure: JsonOrNull<FanOutFailure>
  lease_until: Date | null
  due_at: Generated<Date | null>
  pointer_no: Generated<number>
  settled_at: Date | null
  /** How many tries of the next page failed for another reason than that the database or a service was away. */
  failures: Generated<number>
  last_failure: string | null
  flow: Generated<CampaignFlow>
  flow_no: Generated<number>
  /** Null when all users are sent to at once, and when the value was moved to `past_waves`. */
  waves: JsonOrNull<Wave[]>
  /** The index of the wave whose pages are made now or, between two waves, of the next wave. */
  wave: Generated<number>
  /** The value that `waves` had until the claims of the settled send were deleted. */
  past_waves: ColumnType<Wave[] | null, string | null | undefined, string | null>
  /** How many pushes a minute are handed over for the first time, at most; null for no limit. */
  per_minute: number | null
}
/** The reason for which a send cannot be fanned out, in words that an operator can act on. */
export type FanOutFailure = { code: string; message: string }

export type BatchTable = {
  id: string
  app_id: string
  campaign_id: string
  platform: Platform
  lane: Lane
  day: string
  queued_at: Generated<Date>
  /** The number, within the campaign, of the batch in which the pushes were first queued. Batches of retries keep it. */
  batch_no: number
  /** The places of the pushes in the batch in which they were first queued; null when the places are 0, 1, 2 and so on. */
  places: number[] | null
  subscription_ids: string[]
  user_ids: string[]
  tries: Generated<number>
  decided: JsonOrNull<Decided[]>
  retry_of: string | null
  not_before: Date | null
  /** Until when the batch waits for the turn of its credentials. */
  turn_at: Generated<Date | null>
  held_since: Date | null
  /** In a send that raises badges: the badge of each push, by its place; null in any other. */
  badges: number[] | null
  /** True in a batch of a send with a rate, which waits for its turn; null in any other. */
  paced: boolean | null
  /** The environment of the open circuit that the latest take probes; null when the take is no probe. */
  probes: CircuitEnvironment | null
  takes: Generated<number>
  spared: Generated<number>
  /** How often the statement that reads the batch's pushes has failed. */
  failed_reads: Generated<number>
  lease_until: Date | null
  due_at: Generated<Date | null>
  pointer_no: Generated<number>
  done_at: Date | null
  /** In a batch of retries: why the pushes are tried again, and below the provider's own code. */
  last_code: Generated<FailureCode | null>
  last_provider_code: Generated<string | null>
  /** In a batch of retries: the provider's answers to the earlier tries, in order. */
  trail: ColumnType<Attempt[] | null, string | null | undefined, string | null>
}

/** The devices that a provider accepted last, newest first, for the credentials of this version and a host. */
export type AcceptedDeviceTable = {
  app_id: string
  platform: Platform
  environment: CircuitEnvironment
  host: string
  credentials_version: number | null
  subscription_ids: string[]
  at: Generated<Date>
}

/** The rate that credentials share (`scope`); `per_second` is null when nothing limits them. */
export type SendRateTable = {
  scope: string
  platform: Platform
  per_second: number | null
  most: number | null
  next_at: Generated<Date>
  changed_at: Generated<Date>
  slowed_at: Date | null
  minute_at: Generated<Date>
  accepted: Generated<number>
  accepted_before: Generated<number>
  accepted_since: Generated<number>
  found: number | null
  app_ids: Generated<string[]>
}

export type CircuitTable = {
  app_id: string
  platform: Platform
  environment: Generated<CircuitEnvironment>
  state: Generated<'closed' | 'open'>
  /** Why the circuit is open; null while it is closed. */
  code: FailureCode | null
  since: Generated<Date>
  probe_at: Date | null
  /** The provider's last 200 answers, newest last (`Circuit` in delivery/core/circuit.ts has the form). */
  answers: Generated<string>
  refused_probes: Generated<number>
  /** The version of the credentials that were in use when the provider gave these answers. */
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

export type ImportTable = {
  id: string
  app_id: string
  state: Generated<ImportReport['state']>
  format: ImportFormat
  dry_run: boolean
  on_existing: 'keep' | 'update'
  web: 'skip' | 'import'
  columns: JsonOrNull<Record<string, string>>
  assume_opted_in: Generated<boolean>
  max_rows_per_second: number | null
  header: JsonOrNull<string[]>
  header_end: Generated<number | null>
  tail: Buffer | null
  next_offset: Generated<number>
  row_count: Generated<number>
  created_count: Generated<number>
  updated_count: Generated<number>
  kept_count: Generated<number>
  rejected_count: Generated<number>
  opted_out_count: Generated<number>
  error_count: Generated<number>
  by_code: ColumnType<Record<string, number>, string | undefined, string>
  by_platform: ColumnType<Record<Platform, number>, string | undefined, string>
  warnings: ColumnType<Record<string, number>, string | undefined, string>
  has_dry_rows: boolean
  created_at: Generated<Date>
  first_data_at: Date | null
  last_data_at: Generated<Date>
  ended_at: Date | null
}
