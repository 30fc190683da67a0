-- The waves of a send (spec: campaigns/waves): [{at, zones}], in order. They are planned when the send begins, and keep their instants and zones.
-- Null when all users are sent to at once, and since 0102 also when the value was moved to past_waves.
alter table fan_outs add column waves jsonb;
alter table fan_outs add column wave integer not null default 0;
alter table fan_outs drop constraint fan_outs_state_check;
alter table fan_outs add constraint fan_outs_state_check
  check (state in ('running', 'waiting', 'between_waves', 'fanned_out', 'failed'));
-- Settled sends whose wave claims are not deleted yet.
create index fan_outs_waves_to_clear on fan_outs (campaign_id) where settled_at is not null and waves is not null;

-- Devices that a wave of a send has taken. The last wave takes all other devices. The rows are deleted after the send is settled.
create table wave_claims (
  campaign_id text collate "C" not null,
  subscription_id text collate "C" not null,
  primary key (campaign_id, subscription_id)
);

-- A row says that a campaign counts for a user's frequency cap. Rows are written only for apps that have a cap.
create table cap_claims (
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  campaign_id text collate "C" not null,
  at timestamptz not null default now(),
  -- After this time the claim is outside the window that the cap had when the claim was made.
  expires_at timestamptz not null,
  primary key (app_id, user_id, campaign_id)
);
create index cap_claims_expired on cap_claims (expires_at);

-- By this index the time zones of an app's users are found with one look-up for each zone, and all users of an app when the app is deleted.
create index users_by_timezone on users (app_id, timezone);
