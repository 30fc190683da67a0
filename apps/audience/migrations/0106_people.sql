-- The users of an app in the order of their ids. Lists read this index from the newest user on, exports from the oldest on. No other index has the
-- users of an app in this order. An update of a user that stays in its database page and changes no indexed column does not write to it.
create index users_by_app on users (app_id, id);

-- Devices that have left an identified user, because another user got the device or the device was deleted. The ledger finds pushes by device, so
-- these and the user's present devices lead to all pushes of the user. Only the statement that runs when a device leaves a user writes here. A row is
-- kept a day longer than the ledger keeps pushes.
create table former_devices (
  user_id text collate "C" not null references users (id) on delete cascade,
  subscription_id text collate "C" not null,
  until timestamptz not null default now(),
  primary key (user_id, subscription_id)
);
create index former_devices_until on former_devices (until);
