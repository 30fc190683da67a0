-- Devices that administration marked for tests, at most 100 of an app. They lie beside the devices: nothing that a send, a registration or a session reads or
-- writes knows of them, and a column with an index of its own would be made by a walk through all devices.
create table test_devices (
  subscription_id text collate "C" primary key,
  app_id text collate "C" not null,
  -- To the millisecond, as cursors tell it (libs/contracts/src/page.ts).
  marked_at timestamptz(3) not null default now()
);
create index test_devices_of_app on test_devices (app_id, marked_at desc, subscription_id desc);

-- A device that goes takes its mark along, whoever deletes it. Who marks a device holds its row until the mark is committed, so a deletion that waited for
-- that sees the mark here.
create function audience.forget_test_devices() returns trigger language plpgsql volatile as $$
begin
  delete from audience.test_devices where subscription_id = any(array(select id from gone));
  return null;
end
$$;
create trigger forget_test_devices after delete on subscriptions referencing old table as gone
  for each statement execute function audience.forget_test_devices();
