-- How many devices an app had at the end of each UTC day, by platform. After the day has ended a process scans the app's devices and counts each of
-- them once, as its row is then; nothing is written when a device registers or is deleted. A device counts as either reachable, opted out or
-- invalidated.
create table device_days (
  app_id text collate "C" not null,
  day date not null,
  platform text collate "C" not null,
  taken_at timestamptz not null default now(),
  total integer not null,
  reachable integer not null,
  opted_out integer not null,
  invalidated integer not null,
  active_1d integer not null,
  active_7d integer not null,
  active_30d integer not null,
  -- Devices that have a `created_at` on that day and were not deleted before they were counted.
  new integer not null,
  primary key (app_id, day, platform)
);
create index device_days_by_day on device_days (day);

-- A row says until when a process may count the newest day of an app; `infinity` when the day is counted. When the process dies, another one may
-- count the day after `until`.
create table device_day_claims (
  app_id text collate "C" primary key,
  day date not null,
  until timestamptz not null
);

create trigger leave_out_erased before insert on device_days for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on device_day_claims for each row execute function audience.leave_out_erased();
