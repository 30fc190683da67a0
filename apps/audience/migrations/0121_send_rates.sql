-- How fast credentials may send (spec: providers/quota): one row for all processes. `scope` names the credentials, such as an FCM project.
-- `per_second`: null for no limit. `most`: the rate that it may grow to; null for none. `next_at`: the turn of the next push, at most a minute in the
-- past, so that a minute's worth may be sent at once. `accepted` and `accepted_before`: accepted pushes of the minute since `minute_at` and of the one before.
-- `accepted_since`: those since `slowed_at`, when the provider last asked to slow down. `found`: the quota as it was measured then.
create table send_rates (
  scope text collate "C" primary key,
  platform text not null,
  per_second double precision,
  most double precision,
  next_at timestamptz not null default now() - interval '1 minute',
  changed_at timestamptz not null default now(),
  slowed_at timestamptz,
  minute_at timestamptz not null default now(),
  accepted integer not null default 0,
  accepted_before integer not null default 0,
  accepted_since bigint not null default 0,
  found double precision,
  app_ids text[] not null default '{}'
);

-- Until when a batch waits for the turn of its credentials. It counts in the bulk window all the same, unlike a batch with a `not_before`.
alter table batches add column turn_at timestamptz;
