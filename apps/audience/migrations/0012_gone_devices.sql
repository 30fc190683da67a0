-- Devices that are gone, for half a minute. Who finishes a batch may have read a device before it was deleted and note only afterwards that it
-- was sent to. Such a note is removed when no transaction of that time is open any more: a finish takes well below a second, and each statement of it 9 s at most. To lock each device that is sent to instead
-- would write into every one of them, with every push. Ids only: they name nobody any more.
create table gone_devices (
  subscription_id text collate "C" primary key,
  due_at timestamptz not null default now() + interval '30 seconds'
);
create index gone_devices_due on gone_devices (due_at);

create function audience.remember_gone_devices() returns trigger language plpgsql as $$
begin
  insert into audience.gone_devices (subscription_id) select id from gone on conflict do nothing;
  return null;
end
$$;
create trigger remember_gone_devices after delete on subscriptions referencing old table as gone
  for each statement execute function audience.remember_gone_devices();

-- How often the lease of a take has begun anew for its taker since that was last heard of.
alter table batches add column spared integer not null default 0;

create index guarded_invalidations_by_age on guarded_invalidations (at);
