-- Apps that have, or had, endpoints: tracker and audience are told which of their events an endpoint listens to. Each telling has a number, which is given while
-- the row is locked and before the endpoints are read: so the telling with the higher number has seen whatever one with a lower number had.
create table listened_apps (
  app_id text collate "C" primary key,
  version bigint not null default 0,
  -- When they are told next: soon after a change, else now and then, in case one of them lost it.
  due_at timestamptz not null default now()
) with (fillfactor = 60);
create index listened_apps_due on listened_apps (due_at);
insert into listened_apps (app_id) select distinct app_id from endpoints;
