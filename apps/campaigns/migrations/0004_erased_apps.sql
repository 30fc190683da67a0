-- Marks of deleted apps. A request for such an app that is still being accepted writes no row.
create table erased_apps (
  app_id text collate "C" primary key,
  at timestamptz not null default now()
);

-- This trigger keeps every new row of a marked app out of the table, even in a transaction that began before the mark. The trigger raises no error,
-- so the other rows of the statement are written. The erasure of an app first commits the mark and then locks the app once, exclusively
-- (libs/service/src/erased-apps.ts). A transaction that writes a row of the app takes the same lock, shared:
--   When it gets the lock before the erasure asks for it, the erasure waits for the transaction, and then sees and deletes its rows.
--   While the erasure waits for the lock or holds it, the transaction does not get it and leaves the row out. So no send waits behind an erasure.
--   When it gets the lock after the erasure, it also reads the marks after the erasure: a statement in a volatile function sees everything that is
--   committed when the statement begins (read committed). A condition in the insert itself may have begun before the mark.
-- The check is in the database, where it costs a send microseconds and no round trip. Table names have their schema, since a role with another search
-- path may insert too.
create function campaigns.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('campaigns.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from campaigns.erased_apps where app_id = new.app_id) then return null; end if;
  return new;
end
$$;

-- Idempotency records need no such trigger: a record is written only together with its campaign.
create trigger leave_out_erased before insert on campaigns for each row execute function campaigns.leave_out_erased();
create trigger leave_out_erased before insert on templates for each row execute function campaigns.leave_out_erased();
