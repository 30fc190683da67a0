-- Ids are compared byte by byte (collate "C"). Times that order a list are kept to the millisecond, like the cursors of lists
-- (libs/contracts/src/page.ts).

-- Endpoints ---------------------------------------------------------------------------------------------------------------

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
) with (fillfactor = 60);
create index endpoints_of_app on endpoints (app_id, created_at desc, id desc) where deleted_at is null;
create index endpoints_deleted on endpoints (deleted_at) where deleted_at is not null;

-- What waits for an endpoint. Locking this row locks the endpoint's queue. The row is small and is updated often, so pages are filled only to 40 %,
-- and an updated row finds room on its page.
create table queues (
  endpoint_id text collate "C" primary key references endpoints (id) on delete cascade,
  -- How many events were dropped.
  dropped bigint not null default 0,
  -- The bytes of the bodies of the endpoint's deliveries. The transactions that insert and delete deliveries keep count.
  body_bytes bigint not null default 0,
  -- What the endpoint still has to read, oldest first: [{types, from, until}] (core/reading.ts). Transactions that insert events, make deliveries or
  -- drop events keep it up to date.
  readings jsonb not null default '[]'
) with (fillfactor = 40);

-- Apps that have, or had, webhook endpoints. Tracker and audience are told which types of events the endpoints of each app ask for.
create table listened_apps (
  app_id text collate "C" primary key,
  -- The number of a message. It rises while the row is locked and before the endpoints are read, so a message with a higher number knows every change
  -- that one with a lower number knew.
  version bigint not null default 0,
  -- When tracker and audience are told next: soon after a change, else every ten minutes, in case one of them lost what it was told.
  due_at timestamptz not null default now()
) with (fillfactor = 60);
create index listened_apps_due on listened_apps (due_at);

-- Apps whose events an operator watches as they happen. Meanwhile tracker and audience announce all events of the app. A row is a lease, which a
-- gateway renews while it watches.
create table watched_apps (
  app_id text collate "C" primary key,
  -- A row whose lease has ended is deleted once tracker and audience have been told.
  until timestamptz not null,
  -- True once tracker and audience have confirmed that they know of the watch.
  is_told boolean not null default false
);
create index watched_apps_until on watched_apps (until);

-- Events ------------------------------------------------------------------------------------------------------------------

-- Announcements whose events webhooks has stored. An announcement is repeated until it is confirmed; by then its events may already be delivered and
-- deleted.
create table collected (
  announcement_id text collate "C" primary key,
  at timestamptz not null default now()
);
create index collected_at on collected (at);

-- The log of an app's events. A transaction that inserts events, moves an endpoint on in the log or deletes events first locks the app's row.
create table logs (
  app_id text collate "C" primary key,
  -- The place of the newest event. Events have the places 1, 2, 3 … in the log of their app.
  head bigint not null default 0,
  -- By type of event: [how many events were ever inserted, their bytes, the place up to which they are deleted].
  totals jsonb not null default '{}',
  -- When the sweep next checks whether a batch is to be made; null while no endpoint has anything to read.
  due_at timestamptz
) with (fillfactor = 50);
create index logs_due on logs (due_at) where due_at is not null;

-- An event is stored once for its app, however many endpoints ask for it.
create table events (
  app_id text collate "C" not null,
  type text collate "C" not null,
  place bigint not null,
  -- Null for an event that is about no user, such as campaign.completed.
  user_id text collate "C",
  -- The event as JSON as it is posted, but without the external id.
  event text not null,
  buffered_at timestamptz not null default now(),
  -- With the type in the key, an endpoint that asks for a rare type finds its next event without reading events of other types.
  primary key (app_id, type, place)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

-- Deliveries --------------------------------------------------------------------------------------------------------------

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
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  -- There is no foreign key. The transaction that makes a delivery locks the body, and a body is deleted only when, after it is locked, a query finds
  -- no delivery of it.
  body_id bigint
) with (fillfactor = 80);
create index deliveries_due on deliveries (due_at) where due_at is not null;
create index deliveries_due_of_endpoint on deliveries (endpoint_id, due_at) where due_at is not null;
create index deliveries_in_flight on deliveries (endpoint_id) where lease_until is not null;
create index deliveries_of_endpoint on deliveries (endpoint_id, created_at desc, id desc);
create index deliveries_of_body on deliveries (body_id) where body_id is not null;
-- The housekeeping finds bodies past their retention in the order of their age. Bodies of successful deliveries are kept for another time, so each
-- kind has an index: with one index every search read all undelivered bodies again.
create index deliveries_delivered_bodies on deliveries (ended_at) where body_id is not null and state = 'delivered';
create index deliveries_other_bodies on deliveries (coalesce(ended_at, created_at)) where body_id is not null and state <> 'delivered';
create index deliveries_ended_by_age on deliveries (created_at) where due_at is null and body_id is null;
-- Finds the oldest bodies of an endpoint that stores too many bytes.
create index deliveries_bodies_of_endpoint on deliveries (endpoint_id, created_at) where body_id is not null and due_at is null;

-- The events of a delivery as they are posted, in a table of their own: every attempt updates the row of the delivery. Endpoints that ask for the
-- same types share a body.
create table bodies (
  id bigint generated always as identity primary key,
  app_id text collate "C" not null,
  types text collate "C" not null,
  -- The body has the events of these types with the numbers above `after_count` and up to `until_count`, counted since the log began. Both are null
  -- for a body that the erasure of a user has made.
  after_count bigint,
  until_count bigint,
  event_count integer not null,
  user_ids text[] not null,
  -- JSON: the array of events, with external ids.
  events bytea not null,
  unique (app_id, types, after_count, until_count)
);
create index bodies_by_user on bodies using gin (user_ids);

-- The whole service -------------------------------------------------------------------------------------------------------

-- Users who were erased within about a day. A body that is being made while its user is erased must not contain the user's external id.
create table erased_users (
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  at timestamptz not null default now(),
  primary key (app_id, user_id)
);
create index erased_users_at on erased_users (at);

-- Housekeeping that one process at a time does, by name.
create table housework (
  name text primary key,
  -- When the next process may begin. While one works, the time after which it is dead.
  next_at timestamptz not null
);
