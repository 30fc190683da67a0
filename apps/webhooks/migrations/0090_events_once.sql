-- An event is stored once for its app, in the app's log of events, however many endpoints ask for it. Deliveries that hold the same events share one
-- body. A transaction that inserts events, moves an endpoint on in the log or deletes events first locks the app's row in this table.
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
insert into logs (app_id) select distinct app_id from endpoints;

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

-- What an endpoint still has to read, oldest first: [{types, from, until}], see core/reading.ts. Transactions that insert events, make deliveries or
-- drop events keep it up to date.
alter table queues
  drop column waiting, drop column waiting_bytes,
  add column readings jsonb not null default '[]';
drop table waiting_events;
alter table endpoints set (fillfactor = 60);

-- The events of a delivery as they are posted. Endpoints that ask for the same types share a body. Its events are those of these types with the
-- numbers above `after_count` and up to `until_count`, counted since the log began. Both are null for a body that the erasure of a user has made.
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

-- There is no foreign key. The transaction that makes a delivery locks the body, and a body is deleted only when, after it is locked, a query finds
-- no delivery of it.
delete from deliveries where has_body;
alter table deliveries drop column has_body, add column body_id bigint;
drop table delivery_bodies;
create index deliveries_of_body on deliveries (body_id) where body_id is not null;
create index deliveries_delivered_bodies on deliveries (ended_at) where body_id is not null and state = 'delivered';
create index deliveries_other_bodies on deliveries (coalesce(ended_at, created_at)) where body_id is not null and state <> 'delivered';
create index deliveries_ended_by_age on deliveries (created_at) where due_at is null and body_id is null;
create index deliveries_bodies_of_endpoint on deliveries (endpoint_id, created_at) where body_id is not null and due_at is null;
