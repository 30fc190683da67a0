-- This trigger keeps every new row of counters of a deleted app out of the table, even in a transaction that began before the deletion. The erasure
-- of an app first commits a mark and then locks the app once, exclusively (libs/service/src/erased-apps.ts). A transaction that writes counters of
-- the app takes the same lock, shared:
-- When it gets the lock before the erasure asks for it, the erasure waits for the transaction, and then sees and deletes its row.
-- While the erasure waits for the lock or holds it, the transaction does not get it and leaves the row out.
-- When it gets the lock after the erasure, it also reads the marks after the erasure: a statement in a volatile function sees everything that is
-- committed when the statement begins (read committed).
-- Outcomes and reports of devices need no such check: they update an existing row of counters. When that row is gone they are rolled back, and the
-- repeat finds the mark.
create function tracker.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('tracker.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from tracker.erased_apps where app_id = new.app_id) then return null; end if;
  return new;
end
$$;
create trigger leave_out_erased before insert on counters for each row execute function tracker.leave_out_erased();
