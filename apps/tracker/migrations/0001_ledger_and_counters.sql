-- One row per push: its one outcome. Partitioned by the UTC date of the campaign's first page, which every outcome of a
-- campaign carries, so that (day, campaign, subscription) stays unique over all partitions.
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
-- A device's pushes. Measured per push at 500 an insert: 14.4 µs with the key alone, 15 with this index (a campaign walks
-- the devices in the order of their ids, so its leaf pages stay warm), 18.5 with one by user as well. So there is none by user:
-- lists by user walk the campaigns of the app.
create index ledger_by_subscription on ledger (subscription_id);

-- What devices reported, once per push and kind. The day is the campaign's, as in the ledger.
create table engagements (
  day date not null,
  campaign_id text collate "C" not null,
  subscription_id text collate "C" not null,
  kind text not null,
  at timestamptz not null default now(),
  primary key (day, campaign_id, subscription_id, kind)
) partition by range (day);

-- One hot row per campaign. No index names a column that moves, and pages keep room: every update stays on its page (HOT).
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
-- An app's campaigns, newest first (ids sort by the second they were made in): the way into the ledger of an app.
create index counters_by_app on counters (app_id, campaign_id);
-- For the retention.
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

-- What one transaction made happen, until webhooks has taken it over. The body is JSON that nobody queries: text spares the
-- parse, `external` the compression (~3 µs per event at 1,000 events a row) of rows that live for milliseconds.
create table announcements (
  id text collate "C" primary key,
  subject text not null,
  body text not null,
  due_at timestamptz not null,
  pointer_no integer not null default 0
);
alter table announcements alter column body set storage external;
create index announcements_due on announcements (due_at);

-- Campaigns of which every queued push has an outcome, until campaigns and audience have both been told.
create table settlements (
  campaign_id text collate "C" primary key,
  campaigns_told boolean not null default false,
  audience_told boolean not null default false,
  due_at timestamptz not null
);
create index settlements_due on settlements (due_at);
