-- Apps that were deleted. Calls and messages about them that arrive late make no new rows.
create table erased_apps (
  app_id text collate "C" primary key,
  at timestamptz not null default now()
);

-- This trigger adds no row of a marked app, whichever transaction inserts it and whenever that transaction began. The row is left out without an
-- error, so that other work in the same commit goes on. The erasure commits the mark and then takes the app's lock once (store/erased-apps.ts). Every
-- insert takes a share of this lock:
--   The erasure waits for a transaction that got its share before, so it sees and deletes that transaction's rows.
--   A transaction that asks while the erasure has the lock does not get its share and does not wait: its row is left out.
--   A transaction that gets its share after the erasure finds the mark: a statement of a volatile function sees what is committed when the statement
--   begins (read committed). A condition in the insert would not, because the insert may have begun before the mark.
-- The check is in the database because there it costs a registration and a send microseconds; elsewhere it would cost a round trip. Names have
-- their schema, because a role with another search path may insert too.
create function audience.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('audience.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from audience.erased_apps where app_id = new.app_id) then return null; end if;
  return new;
end
$$;

-- Of the tables that exist so far, only these need the trigger. A transaction that makes a row of another table has locked a row of one of these, and
-- the erasure goes on deleting until it finds no row.
create trigger leave_out_erased before insert on users for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on subscriptions for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on segments for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on fan_outs for each row execute function audience.leave_out_erased();
