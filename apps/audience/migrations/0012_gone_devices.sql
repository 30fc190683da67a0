-- The ids of deleted devices, kept for half a minute. A transaction that finishes a batch may have read a device before it was deleted, and note
-- afterwards that the device was sent to. Such a note is deleted when no transaction of that time can be open any more: a finish takes well below a
-- second, and each of its statements at most 9 s. The alternative, to lock each device that is sent to, would write to every device with every push.
-- The table has only ids, which name nobody any more.
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

-- How often audience has extended the lease of a take since the taker last renewed it.
alter table batches add column spared integer not null default 0;

create index guarded_invalidations_by_age on guarded_invalidations (at);
