-- A send at several moments (spec: campaigns/waves): one wave after another on the one row. Planned when the row is made and frozen with it:
-- [{at, zones}], in order; null: everybody at once.
alter table fan_outs add column waves jsonb;
alter table fan_outs add column wave integer not null default 0;
alter table fan_outs drop constraint fan_outs_state_check;
alter table fan_outs add constraint fan_outs_state_check
  check (state in ('running', 'waiting', 'between_waves', 'fanned_out', 'failed'));
-- Settled, its claims not yet dropped.
create index fan_outs_waves_to_clear on fan_outs (campaign_id) where settled_at is not null and waves is not null;

-- Who has been taken by a wave: the last one takes everybody else. Gone after the settlement.
create table wave_claims (
  campaign_id text collate "C" not null,
  subscription_id text collate "C" not null,
  primary key (campaign_id, subscription_id)
);

-- That a user got this campaign, for the frequency cap of an app that has one.
create table cap_claims (
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  campaign_id text collate "C" not null,
  at timestamptz not null default now(),
  -- No window that held it when it was made reaches further.
  expires_at timestamptz not null,
  primary key (app_id, user_id, campaign_id)
);
create index cap_claims_expired on cap_claims (expires_at);

-- The zones of an app's users are found by one probe each, and an app's users when it is deleted.
create index users_by_timezone on users (app_id, timezone);
