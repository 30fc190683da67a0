-- Apps that asked for lastNotifiedAt. While an app has asked within seven days, the finish of each batch stores to which devices the batch was sent.
-- For all other apps nothing is stored, and only the tracker's ledger knows it. So a segment that asks for lastNotifiedAt is evaluated only when the
-- app's ledger has been read, from the newest push to the oldest; for pushes that are sent meanwhile the time is stored already.
create table notified_apps (
  app_id text collate "C" primary key,
  named_at timestamptz not null,
  -- Is raised when the ledger must be read again, so that an older reading cannot mark the new one as complete.
  round integer not null default 1,
  -- Where the reading of the ledger continues. Null when it begins at the newest push.
  read_to text,
  is_read boolean not null default false
);
create trigger leave_out_erased before insert on notified_apps for each row execute function audience.leave_out_erased();
