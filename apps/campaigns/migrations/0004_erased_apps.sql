-- Marks of deleted apps: a send that is still being accepted for one of them makes no rows again.
create table erased_apps (
  app_id text collate "C" primary key,
  at timestamptz not null default now()
);

-- No row of a marked app is added, whoever adds it and however long ago that began. The row is left out and nothing fails, so the rest of the commit goes on.
-- The eraser first commits the mark and then takes the app's lock once, alone (libs/service/src/erased-apps.ts). Every writer of such a row shares this lock.
--   A writer that shares the lock before the eraser asks for it is waited for, so its rows are seen and deleted.
--   A writer that asks for it while the eraser waits or holds it does not get it: the mark is there, and no send waits behind an erasure.
--   A writer that shares it afterwards looks at the marks afterwards: a statement of a volatile function sees what is committed when it begins
--   (read committed), unlike a condition in the insert, which may have begun before the mark.
-- This is done in the database, where it costs a send microseconds and not a round trip. Names are whole, since a role with another search path may insert too.
create function campaigns.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('campaigns.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from campaigns.erased_apps where app_id = new.app_id) then return null; end if;
  return new;
end
$$;

-- An idempotency record is made only together with its campaign.
create trigger leave_out_erased before insert on campaigns for each row execute function campaigns.leave_out_erased();
create trigger leave_out_erased before insert on templates for each row execute function campaigns.leave_out_erased();
