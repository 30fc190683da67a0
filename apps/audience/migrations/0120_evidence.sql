-- The devices that a provider accepted last, newest first, by credentials and host (spec: providers/accepted-before). A refused device of the same
-- host then speaks of itself. `host` is empty where all devices of a platform go to one host.
create table accepted_devices (
  app_id text collate "C" not null,
  platform text not null,
  environment text not null,
  host text collate "C" not null,
  credentials_version bigint,
  subscription_ids text[] not null,
  at timestamptz not null default now(),
  primary key (app_id, platform, environment, host)
);
create index accepted_devices_by_age on accepted_devices (at);

-- How many probes in a row the provider has refused since the circuit opened.
alter table circuits add column refused_probes integer not null default 0;

-- The campaigns in which the provider refused the device although it accepted others. Emptied when the device has a new token.
alter table subscriptions add column refused_in text[];
create trigger leave_out_erased before insert on accepted_devices for each row execute function audience.leave_out_erased();
