-- Apps that have, or had, webhook endpoints. Tracker and audience are told which types of events the endpoints of each app ask for. Each message has
-- a number, `version`, which rises while the row is locked and before the endpoints are read: so a message with a higher number knows every change
-- that one with a lower number knew.
create table listened_apps (
  app_id text collate "C" primary key,
  version bigint not null default 0,
  -- When tracker and audience are told next: soon after a change, else every ten minutes, in case one of them lost what it was told.
  due_at timestamptz not null default now()
) with (fillfactor = 60);
create index listened_apps_due on listened_apps (due_at);
insert into listened_apps (app_id) select distinct app_id from endpoints;
