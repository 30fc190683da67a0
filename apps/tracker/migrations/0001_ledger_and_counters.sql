-- One row per push, with its outcome (0050 replaces this table by `ledger_batches`). Partitioned by the UTC date of the campaign's first page. Every
-- outcome of a campaign carries that date, so the key (day, campaign, subscription) is unique over all partitions.
create table ledger (
  day date not null,
  campaign_id text collate "C" not null,
  subscription_id text collate "C" not null,
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  platform text not null,
  variant text not null,
  outcome text not null,
  code text not null,
  provider_code text not null,
  token_version integer not null,
  attempts integer not null,
  settled_at timestamptz not null default now(),
  primary key (day, campaign_id, subscription_id)
) partition by range (day);
-- Finds the pushes of a device. Measured with inserts of 500 pushes each, writing one push took 14.4 µs with the key alone, 15 µs with this index
-- too, and 18.5 µs with an index by user as well. This index is cheap, because a campaign goes through devices in the order of their ids and the
-- index pages stay in memory. An index by user would cost more, so there is none: a list by user reads the campaigns of the app one by one.
create index ledger_by_subscription on ledger (subscription_id);

-- What devices reported about pushes: at most one row per push and kind of report. `day` is the UTC date of the campaign's first page, as in the
-- ledger.
create table engagements (
  day date not null,
  campaign_id text collate "C" not null,
  subscription_id text collate "C" not null,
  kind text not null,
  at timestamptz not null default now(),
  primary key (day, campaign_id, subscription_id, kind)
) partition by range (day);

-- One row per campaign, which many transactions update. Pages are filled to 60 % and no index has a column that changes, so an update mostly finds
-- room on the same page and leaves the indexes alone (HOT).
create table counters (
  campaign_id text collate "C" primary key,
  app_id text collate "C" not null,
  day date not null,
  name text not null,
  transactional boolean not null,
  queued_ios integer not null default 0,
  queued_android integer not null default 0,
  queued_web integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  delivered integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  dismissed integer not null default 0,
  created_at timestamptz not null default now(),
  fanned_out_at timestamptz,
  settled_at timestamptz
) with (fillfactor = 60);
-- For reading an app's campaigns newest first: an id begins with the second in which it was made. The pushes of an app are found through this index.
create index counters_by_app on counters (app_id, campaign_id);
-- For deleting old counters.
create index counters_by_day on counters (day);

create table variant_counters (
  campaign_id text collate "C" not null,
  variant text collate "C" not null,
  sent integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  delivered integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  dismissed integer not null default 0,
  primary key (campaign_id, variant)
) with (fillfactor = 60);

-- An announcement: up to 1,000 events of one transaction, kept until webhooks has confirmed them. Announcements older than two days are dropped, and
-- the oldest ones when all together take more than 1 GB (libs/service/src/bound-announcements.ts). The body is JSON that no query reads, so it is
-- text, which Postgres need not parse. `external` storage keeps Postgres from compressing the body: with 1,000 events in a row that would take ~3 µs
-- per event, too much for a row that lives for milliseconds.
create table announcements (
  id text collate "C" primary key,
  subject text not null,
  body text not null,
  due_at timestamptz not null,
  pointer_no integer not null default 0
);
alter table announcements alter column body set storage external;
create index announcements_due on announcements (due_at);

-- Settled campaigns of which campaigns and audience must be told. A row is kept until both have confirmed it.
create table settlements (
  campaign_id text collate "C" primary key,
  campaigns_told boolean not null default false,
  audience_told boolean not null default false,
  due_at timestamptz not null
);
create index settlements_due on settlements (due_at);
