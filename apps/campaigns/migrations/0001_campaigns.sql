-- A notification is a campaign that is due now. Herald answers 202 once the row is committed. At `due_at` the sweep tells audience of the send, or
-- tells it again; `due_at` is null once audience has a fan-out row of the campaign.
create table campaigns (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  name text not null,
  status text not null,
  transactional boolean not null,
  target jsonb not null,
  content jsonb,
  template_id text collate "C",
  silent boolean not null,
  data jsonb not null,
  ttl integer not null,
  collapse_id text,
  priority text not null,
  presentation jsonb,
  bypass jsonb not null,
  schedule jsonb,
  segment_id text collate "C",
  experiment jsonb,
  recurring_of text collate "C",
  remainder_of text collate "C",
  failure jsonb,
  due_at timestamptz,
  pointer_no integer not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  settled_at timestamptz
) with (fillfactor = 80);
-- The index holds only the rows that wait for the sweep, however large the table is. Campaigns need no index by age: an id begins with the
-- second in which it was made, so the deletion of old rows reads the primary key.
create index campaigns_due on campaigns (due_at) where due_at is not null;

create table templates (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  name text not null,
  description text,
  content jsonb not null,
  data jsonb,
  presentation jsonb,
  ttl integer,
  collapse_id text,
  priority text,
  silent boolean,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (app_id, name)
);

-- A record commits together with its campaign, so a crash leaves neither a key that stays locked nor a second campaign.
create table idempotency_keys (
  app_id text collate "C" not null,
  key text not null,
  fingerprint text not null,
  campaign_id text collate "C" not null,
  answer jsonb not null,
  created_at timestamptz not null default now(),
  primary key (app_id, key)
);
-- For the deletion of records after IDEMPOTENCY_RETENTION_HOURS. Rows are inserted in the order of `created_at`, so the index only grows at its end.
create index idempotency_keys_by_age on idempotency_keys (created_at);
