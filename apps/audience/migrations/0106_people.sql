-- The users of an app in the order of their ids: lists from the newest on, and the export of everybody from the oldest on. No other index holds
-- those without an external id in any order. A new user pays for it once; no update of a user touches it.
create index users_by_app on users (app_id, id);

-- Devices that have left an identified user, or were removed: with those that the user has they lead into the ledger, which knows pushes by
-- device. Written by the statement that follows when a device leaves somebody, and by no other. Kept for as long as the ledger keeps their pushes.
create table former_devices (
  user_id text collate "C" not null references users (id) on delete cascade,
  subscription_id text collate "C" not null,
  until timestamptz not null default now(),
  primary key (user_id, subscription_id)
);
create index former_devices_until on former_devices (until);
