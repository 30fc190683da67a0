-- A deleted app gets no totals any more, whoever reports them and however long ago that began. Who erases commits the mark and then takes
-- the app's lock once (libs/service/src/erased-apps.ts), which others only share: whoever shares it before that is waited for, so its row is seen and
-- deleted; whoever asks meanwhile does not get it; whoever shares it after that looks at the marks after that, since a statement of a
-- volatile function sees what is committed when it begins (read committed). Outcomes and reports need none of it: they move a row of
-- counters, and with that row gone they are taken back and come again.
create function tracker.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('tracker.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from tracker.erased_apps where app_id = new.app_id) then return null; end if;
  return new;
end
$$;
create trigger leave_out_erased before insert on counters for each row execute function tracker.leave_out_erased();
