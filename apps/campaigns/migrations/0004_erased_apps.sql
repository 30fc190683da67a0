-- Deleted apps: what is still under way for them is let go instead of making their rows anew.
create table erased_apps (
  app_id text collate "C" primary key,
  at timestamptz not null default now()
);

-- No row of a marked app is added, whoever adds it and however long ago that began; it is left out and nothing fails, so that what shares
-- the commit goes on. Who erases commits the mark and then takes the app's lock once (libs/service/src/erased-apps.ts), which others only share:
--   whoever shares it before that is waited for, so its rows are seen and deleted;
--   whoever asks meanwhile does not get it: the mark is there, and nobody waits behind an erasure;
--   whoever shares it after that looks at the marks after that: a statement of a volatile function sees what is committed when it begins
--   (read committed), unlike a condition in the insert, which may have begun before the mark.
-- In the database because it costs a send microseconds there, and a round trip anywhere else. Names are whole: a role with another search
-- path may insert too.
create function campaigns.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('campaigns.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from campaigns.erased_apps where app_id = new.app_id) then return null; end if;
  return new;
end
$$;

-- An idempotency record is made with its campaign or not at all.
create trigger leave_out_erased before insert on campaigns for each row execute function campaigns.leave_out_erased();
create trigger leave_out_erased before insert on templates for each row execute function campaigns.leave_out_erased();
