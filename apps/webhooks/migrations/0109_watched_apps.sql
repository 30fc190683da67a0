-- Apps whose events are watched as they happen: tracker and audience announce all of their events meanwhile. A row is a lease that a gateway renews while it
-- watches. After its end it is deleted when tracker and audience have been told that the watch is over.
create table watched_apps (
  app_id text collate "C" primary key,
  until timestamptz not null,
  -- Tracker and audience have answered that they know.
  is_told boolean not null default false
);
create index watched_apps_until on watched_apps (until);
