-- Apps that asked for lastNotifiedAt lately. While one has asked within seven days, each finished batch writes down whom it was sent to; for
-- all other apps nothing is written, and the tracker's ledger is what knows. So who asks first waits until the ledger has been read back, from
-- its newest push to its oldest, and what is sent meanwhile is written down already.
create table notified_apps (
  app_id text collate "C" primary key,
  named_at timestamptz not null,
  -- Raised when the ledger is to be read anew: a reading that began before that ends nothing.
  round integer not null default 1,
  -- Where the reading goes on; null: at the newest push.
  read_to text,
  is_read boolean not null default false
);
create trigger leave_out_erased before insert on notified_apps for each row execute function audience.leave_out_erased();
