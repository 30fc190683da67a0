-- A device is found by its address and a user by the backend's id, in one app. Each is one key now, with the app in it. As two columns the planner
-- could also take another index that begins with the app, and read the whole app: it did so while it had no statistics, and would again for an
-- app that grows before the next analysis, because that app's share is thought to be one row.
drop index subscriptions_by_address;
update subscriptions set address_hash =
  sha256(convert_to(app_id || ' ' || case platform when 'web' then 'endpoint' else 'token' end || ':' || address, 'UTF8'));
create unique index subscriptions_by_address on subscriptions (address_hash);

-- The app's id is always 24 characters, so that no two pairs make one key.
drop index users_by_external_id;
create unique index users_by_external_id on users ((app_id || ' ' || external_id)) where external_id is not null;

-- Looked at once per transaction and app. Who has shared the app's lock keeps it to the end of the transaction, and until then the erasure waits:
-- the rows that follow are seen by it like the first. The setting ends with the transaction, and with a savepoint that is rolled back, as the lock does.
create or replace function audience.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if current_setting('herald.app_is_kept', true) = new.app_id then return new; end if;
  if not pg_try_advisory_xact_lock_shared(hashtextextended('audience.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from audience.erased_apps where app_id = new.app_id) then return null; end if;
  perform set_config('herald.app_is_kept', new.app_id, true);
  return new;
end
$$;
