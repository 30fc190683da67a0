-- An event waits once for its app, however many endpoints ask for it, and deliveries that hold the same events share one row with their body. Every transaction
-- that puts events in, moves an endpoint's reading or deletes events locks the row of the app's log.
create table logs (
  app_id text collate "C" primary key,
  -- The place of the newest event.
  head bigint not null default 0,
  -- By type: [events that were ever put in, their bytes, the place up to which they are deleted].
  totals jsonb not null default '{}',
  -- When somebody looks whether a batch is to be made; null: nobody waits for anything.
  due_at timestamptz
) with (fillfactor = 50);
create index logs_due on logs (due_at) where due_at is not null;
insert into logs (app_id) select distinct app_id from endpoints;

create table events (
  app_id text collate "C" not null,
  type text collate "C" not null,
  place bigint not null,
  -- Null for events of nobody, such as campaign.completed.
  user_id text collate "C",
  -- JSON as it goes out, but for the external id.
  event text not null,
  buffered_at timestamptz not null default now(),
  -- A reader of a rare type finds its next event without passing those of the others.
  primary key (app_id, type, place)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

-- What an endpoint still has to read, oldest first: [{types, from, until}], see core/reading.ts. The transaction that puts events in keeps it up to date.
alter table queues
  drop column waiting, drop column waiting_bytes,
  add column readings jsonb not null default '[]';
drop table waiting_events;
alter table endpoints set (fillfactor = 60);

-- The events of a delivery as they go out. Endpoints that ask for the same types share it: the range is counted in events of these types since
-- the log began. A body without a range was made by an erasure.
create table bodies (
  id bigint generated always as identity primary key,
  app_id text collate "C" not null,
  types text collate "C" not null,
  after_count bigint,
  until_count bigint,
  event_count integer not null,
  user_ids text[] not null,
  -- JSON: the array of events, with external ids.
  events bytea not null,
  unique (app_id, types, after_count, until_count)
);
create index bodies_by_user on bodies using gin (user_ids);

-- There is no foreign key: the transaction that makes a delivery locks the body, and a body is deleted only when a look after its lock finds no delivery.
delete from deliveries where has_body;
alter table deliveries drop column has_body, add column body_id bigint;
drop table delivery_bodies;
create index deliveries_of_body on deliveries (body_id) where body_id is not null;
create index deliveries_delivered_bodies on deliveries (ended_at) where body_id is not null and state = 'delivered';
create index deliveries_other_bodies on deliveries (coalesce(ended_at, created_at)) where body_id is not null and state <> 'delivered';
create index deliveries_ended_by_age on deliveries (created_at) where due_at is null and body_id is null;
create index deliveries_bodies_of_endpoint on deliveries (endpoint_id, created_at) where body_id is not null and due_at is null;
