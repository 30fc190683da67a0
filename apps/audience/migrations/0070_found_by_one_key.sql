-- A device is found by app and address, a user by app and external id. From now on each pair is one key. While the pair was two columns, the planner
-- could take another index that begins with the app and read all rows of the app. It did so while it had no statistics, and would do so for an app
-- that has grown since the last analysis, because it assumes one row for such an app.
drop index subscriptions_by_address;
update subscriptions set address_hash =
  sha256(convert_to(app_id || ' ' || case platform when 'web' then 'endpoint' else 'token' end || ':' || address, 'UTF8'));
create unique index subscriptions_by_address on subscriptions (address_hash);

-- The id of an app always has 24 characters, so no two pairs give the same key.
drop index users_by_external_id;
create unique index users_by_external_id on users ((app_id || ' ' || external_id)) where external_id is not null;

-- The trigger looks up the mark of an erased app for a transaction's first row of an app, and for a row that follows a row of another app. For
-- further rows of the same app, which it knows by the setting `herald.app_is_kept`, it looks up nothing: the transaction keeps its share of the app's
-- lock until its end, and the erasure waits for that, so the erasure sees these rows too. The setting ends with the transaction, or with a savepoint
-- that is rolled back, exactly like the lock.
create or replace function audience.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if current_setting('herald.app_is_kept', true) = new.app_id then return new; end if;
  if not pg_try_advisory_xact_lock_shared(hashtextextended('audience.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from audience.erased_apps where app_id = new.app_id) then return null; end if;
  perform set_config('herald.app_is_kept', new.app_id, true);
  return new;
end
$$;
