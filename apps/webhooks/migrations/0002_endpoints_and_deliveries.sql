-- The webhook endpoints that apps have registered. A deleted endpoint stays until its deliveries are deleted, some thousand rows at a time.
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
  -- Raised by every rotation of the secret, so that a process never signs with an older secret than it has seen.
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

-- How many events wait for an endpoint, and how many were dropped. The transactions that insert and delete events keep these counts, so that no read
-- has to count up to 100,000 rows of events. Locking this row locks the endpoint's queue. The row is small and is updated often. So pages are filled
-- only to 40 %, and an updated row finds room on its page.
create table queues (
  endpoint_id text collate "C" primary key references endpoints (id) on delete cascade,
  waiting integer not null default 0,
  dropped bigint not null default 0
) with (fillfactor = 40);

-- Announcements whose events webhooks has stored. An announcement is repeated until it is confirmed; by then its events may already be delivered and
-- deleted.
create table collected (
  announcement_id text collate "C" primary key,
  at timestamptz not null default now()
);
create index collected_at on collected (at);

-- Events that wait for their batch (0090 replaces this table by `events`). The key keeps an event from waiting twice. There is no foreign key, since it
-- would cost as much as the row; the events of a deleted endpoint are deleted before the endpoint is.
create table waiting_events (
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  place bigint generated always as identity,
  -- Null for an event that is about no user, such as campaign.completed.
  user_id text collate "C",
  -- The event as JSON as it is posted, but without the external id.
  event text not null,
  buffered_at timestamptz not null default now(),
  primary key (endpoint_id, event_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
-- A batch takes the oldest 100 events of an endpoint.
create index waiting_events_in_order on waiting_events (endpoint_id, place);

create table deliveries (
  id text collate "C" primary key,
  endpoint_id text collate "C" not null references endpoints (id) on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'erased')),
  event_count integer not null,
  -- How many attempts the delivery has had since it was made or last replayed.
  tries integer not null default 0,
  attempts jsonb not null default '[]',
  -- How often the delivery was taken. A process writes the end of an attempt only while this number is still that of its take.
  takes integer not null default 0,
  lease_until timestamptz,
  -- When the delivery is due: for its next attempt, or because its lease has ended. Null when the delivery has ended.
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

-- The bytes that are posted. They are not in the row of the delivery, because every attempt updates that row. With the body in it, each update would
-- also have to write the body's entries in the index by user again, up to 100 of them.
create table delivery_bodies (
  delivery_id text collate "C" primary key references deliveries (id) on delete cascade,
  app_id text collate "C" not null,
  user_ids text[] not null,
  body bytea not null
);
create index delivery_bodies_by_user on delivery_bodies using gin (user_ids);

-- Users who were erased within about a day. A body that is being made while its user is erased must not contain the user's external id.
create table erased_users (
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  at timestamptz not null default now(),
  primary key (app_id, user_id)
);
