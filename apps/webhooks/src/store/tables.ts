import type { WebhookAttempt, WebhookDelivery, Webhook } from '@herald/contracts/webhook'
import type { Reading, Totals } from '../core/reading.ts'
import type { ColumnType, Generated, Kysely } from 'kysely'

/** The tables of webhooks, as apps/webhooks/migrations makes them. */
export type Tables = {
  endpoints: {
    id: string
    app_id: string
    url: string
    description: string | null
    event_types: string[]
    enabled: Generated<boolean>
    disabled_reason: Webhook['disabledReason']
    disabled_at: Date | null
    consecutive_failures: Generated<number>
    sealed_secret: string
    secret_hint: string
    secret_version: Generated<number>
    last_delivery_at: Date | null
    last_status: number | null
    last_error: string | null
    last_latency_ms: number | null
    deleted_at: Date | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  logs: { app_id: string; head: Generated<number>; totals: ColumnType<Totals, string | undefined, string>; due_at: Date | null }
  events: { app_id: string; type: string; place: number; user_id: string | null; event: string; buffered_at: Generated<Date> }
  queues: {
    endpoint_id: string
    readings: ColumnType<Reading[], string | undefined, string>
    dropped: Generated<number>
    body_bytes: Generated<number>
  }
  collected: { announcement_id: string; at: Generated<Date> }
  deliveries: {
    id: string
    endpoint_id: string
    state: Generated<WebhookDelivery['state']>
    event_count: number
    tries: Generated<number>
    attempts: ColumnType<WebhookAttempt[], string | undefined, string>
    takes: Generated<number>
    lease_until: Date | null
    due_at: Date | null
    body_id: number | null
    created_at: Generated<Date>
    ended_at: Date | null
  }
  bodies: {
    id: Generated<number>
    app_id: string
    types: string
    after_count: number | null
    until_count: number | null
    event_count: number
    user_ids: string[]
    events: Buffer
  }
  listened_apps: { app_id: string; version: Generated<number>; due_at: Generated<Date> }
  watched_apps: { app_id: string; until: Date; is_told: Generated<boolean> }
  erased_users: { app_id: string; user_id: string; at: Generated<Date> }
}

/** The connection pool or a transaction. */
export type Db = Kysely<Tables>
