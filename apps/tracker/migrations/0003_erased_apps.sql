-- A deleted app gets no totals any more, whoever reports them and however long ago that began. The eraser first commits the mark and then takes the app's lock
-- once, alone (libs/service/src/erased-apps.ts). Every writer of totals shares this lock. A writer that shares it before the eraser asks is waited for, so its
-- row is seen and deleted. A writer that asks meanwhile does not get it. A writer that shares it afterwards looks at the marks afterwards, since a statement of
-- a volatile function sees what is committed when it begins (read committed). Outcomes and reports of devices need none of this: they update a row of counters,
-- and when that row is gone they are rolled back and come again.
create function tracker.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('tracker.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from tracker.erased_apps where app_id = new.app_id) then return null; end if;
  return new;
end
$$;
create trigger leave_out_erased before insert on counters for each row execute function tracker.leave_out_erased();
