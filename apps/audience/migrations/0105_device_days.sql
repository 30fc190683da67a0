-- The devices of an app at the end of each UTC day, by platform. Every device that was there is counted once a day, in a scan that some process makes after the day has ended;
-- nothing is counted when a device comes or goes. Of one platform a device is either reachable, opted out or invalidated.
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
  -- Made on that day, and still there.
  new integer not null,
  primary key (app_id, day, platform)
);
create index device_days_by_day on device_days (day);

-- Who takes an app's newest day, until when; `infinity`: it is taken. Who dies over it leaves it to another when its time is up.
create table device_day_claims (
  app_id text collate "C" primary key,
  day date not null,
  until timestamptz not null
);

create trigger leave_out_erased before insert on device_days for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on device_day_claims for each row execute function audience.leave_out_erased();
