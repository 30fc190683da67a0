-- Devices that an operator marked for tests, at most 100 of an app. They have a separate table, so that sends, registrations and sessions read and
-- write nothing more. For an indexed column of `subscriptions`, this migration would also have to read all devices.
create table test_devices (
  subscription_id text collate "C" primary key,
  app_id text collate "C" not null,
  -- The time is kept to the millisecond, as in the cursors of lists (libs/contracts/src/page.ts).
  marked_at timestamptz(3) not null default now()
);
create index test_devices_of_app on test_devices (app_id, marked_at desc, subscription_id desc);

-- Whichever statement deletes a device, its mark is deleted too. A transaction that marks a device locks the device's row until it commits, so a
-- deletion that waited for this lock sees the mark here.
create function audience.forget_test_devices() returns trigger language plpgsql volatile as $$
begin
  delete from audience.test_devices where subscription_id = any(array(select id from gone));
  return null;
end
$$;
create trigger forget_test_devices after delete on subscriptions referencing old table as gone
  for each statement execute function audience.forget_test_devices();
