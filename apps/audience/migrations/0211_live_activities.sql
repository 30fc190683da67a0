-- The push tokens of Live Activities that a device has: its activities by the caller's id, and with `starts` the types of attributes that it lets be
-- started. Tokens are as secret as those of devices. Those of activities go 12 hours after
-- their last change, those for starting after 90 days.
create table activity_tokens (
  app_id text collate "C" not null,
  subscription_id text collate "C" not null,
  starts boolean not null,
  name text collate "C" not null,
  attributes_type text collate "C" not null,
  token text not null,
  -- Raised with each new token, so that a provider's answer about an old one deletes no new one.
  token_version integer not null default 1,
  changed_at timestamptz not null default now(),
  primary key (app_id, subscription_id, starts, name)
);
-- Leads a page of a send to the devices that have the activity.
create index activity_tokens_by_name on activity_tokens (app_id, starts, name, subscription_id);
create index activity_tokens_by_change on activity_tokens (starts, changed_at);

-- The newest update or end, and the newest end, that a page was made of, by their timestamps. An older send that is still queued is overtaken.
create table activities (
  app_id text collate "C" not null,
  activity_id text collate "C" not null,
  told_at bigint not null,
  ended_at bigint,
  primary key (app_id, activity_id)
) with (fillfactor = 50);
create index activities_by_told on activities (told_at);
