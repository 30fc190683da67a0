-- Apps whose events an operator watches as they happen. Meanwhile tracker and audience announce all events of the app. A row is a lease, which a
-- gateway renews while it watches. A row whose lease has ended is deleted once tracker and audience have been told.
create table watched_apps (
  app_id text collate "C" primary key,
  until timestamptz not null,
  -- True once tracker and audience have confirmed that they know of the watch.
  is_told boolean not null default false
);
create index watched_apps_until on watched_apps (until);
