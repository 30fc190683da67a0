-- Apps whose events somebody watches as they happen: tracker and audience announce all of their events meanwhile. A row is a lease that whoever watches
-- renews; past its end it goes with the telling that nobody watches any more.
create table watched_apps (
  app_id text collate "C" primary key,
  until timestamptz not null,
  -- Tracker and audience have answered that they know.
  is_told boolean not null default false
);
create index watched_apps_until on watched_apps (until);
