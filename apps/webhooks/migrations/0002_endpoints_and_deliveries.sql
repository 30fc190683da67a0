-- Receivers an app has registered. A deleted one stays until its rows are cleared away in portions.
create table endpoints (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  url text not null,
  description text,
  event_types text[] not null,
  enabled boolean not null default true,
  disabled_reason text check (disabled_reason in ('consecutive_failures', 'manual')),
  disabled_at timestamptz(3),
  consecutive_failures integer not null default 0,
  sealed_secret text not null,
  secret_hint text not null,
  -- Raised by every rotation, so that a process never signs with an older secret than it has seen.
  secret_version integer not null default 1,
  last_delivery_at timestamptz(3),
  last_status integer,
  last_error text,
  last_latency_ms integer,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index endpoints_of_app on endpoints (app_id, created_at desc, id desc) where deleted_at is null;
create index endpoints_deleted on endpoints (deleted_at) where deleted_at is not null;

-- How much waits for an endpoint. The transactions that put events in and take them out count it, so that no read has to count 100,000 rows. Its row is the lock
-- of the queue. It is narrow and rewritten often: room in the page keeps the updates in place.
create table queues (
  endpoint_id text collate "C" primary key references endpoints (id) on delete cascade,
  waiting integer not null default 0,
  dropped bigint not null default 0
) with (fillfactor = 40);

-- Announcements that are taken over. An announcement is repeated until it is confirmed; by then its events may be delivered and deleted.
create table collected (
  announcement_id text collate "C" primary key,
  at timestamptz not null default now()
);
create index collected_at on collected (at);

-- Events that wait for their batch. The key keeps an event from waiting twice. No foreign key: it would cost as much as the row, and what is left of a deleted endpoint is cleared away before the endpoint is.
create table waiting_events (
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  place bigint generated always as identity,
  -- Null for events of nobody, such as campaign.completed.
  user_id text collate "C",
  -- JSON as it goes out, but for the external id.
  event text not null,
  buffered_at timestamptz not null default now(),
  primary key (endpoint_id, event_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
-- A batch is the oldest 100 of an endpoint.
create index waiting_events_in_order on waiting_events (endpoint_id, place);

create table deliveries (
  id text collate "C" primary key,
  endpoint_id text collate "C" not null references endpoints (id) on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'erased')),
  event_count integer not null,
  -- Attempts of this round; a replay starts another.
  tries integer not null default 0,
  attempts jsonb not null default '[]',
  -- The fencing number: who writes the end of an attempt carries it.
  takes integer not null default 0,
  lease_until timestamptz,
  -- When it is next looked at: the next attempt, or the end of the lease. Null: ended.
  due_at timestamptz,
  has_body boolean not null default true,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3)
) with (fillfactor = 80);
create index deliveries_due on deliveries (due_at) where due_at is not null;
create index deliveries_due_of_endpoint on deliveries (endpoint_id, due_at) where due_at is not null;
create index deliveries_in_flight on deliveries (endpoint_id) where lease_until is not null;
create index deliveries_of_endpoint on deliveries (endpoint_id, created_at desc, id desc);
create index deliveries_with_body on deliveries (coalesce(ended_at, created_at)) where has_body;
create index deliveries_by_age on deliveries (created_at);

-- Frozen bytes, apart from the row that every attempt rewrites: the index of users has 100 entries per body.
create table delivery_bodies (
  delivery_id text collate "C" primary key references deliveries (id) on delete cascade,
  app_id text collate "C" not null,
  user_ids text[] not null,
  body bytea not null
);
create index delivery_bodies_by_user on delivery_bodies using gin (user_ids);

-- Users erased within the last hours: a body that is being frozen while its user is erased must not name their external id.
create table erased_users (
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  at timestamptz not null default now(),
  primary key (app_id, user_id)
);
