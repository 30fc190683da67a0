-- One row per batch, with a slot for each push of the batch that says how the push ended. The ids of devices and users are written once, when
-- audience reports the batch; an outcome changes only `slots`, `ends` and the sums (`sent`, `failed`, `skipped`). A batch of at most 16 pushes has a
-- row per push instead. So an index finds the pushes of a device or user in such batches, however many campaigns the app has. The row of a larger
-- batch is found by the range of its device ids.
drop table ledger;
create table ledger_batches (
  day date not null,
  batch_no integer not null,
  -- The place, within the batch, of the first push in this row.
  place smallint not null,
  size smallint not null,
  -- How many of the row's pushes were sent, failed or were skipped. The row's other pushes have no outcome yet. A search for pushes of one outcome
  -- skips the rows in which the number of that outcome is 0.
  sent smallint not null default 0,
  failed smallint not null default 0,
  skipped smallint not null default 0,
  campaign_id bytea not null,
  app_id bytea not null,
  platform text not null,
  -- The lowest and the highest device id; null in the row of a single push.
  first_id bytea,
  last_id bytea,
  -- The ids one after another, 12 bytes each. Long lists are stored outside of the row and not compressed, so an update of the slots does not write
  -- them again.
  devices bytea not null,
  users bytea not null,
  -- A number for each push: which of `ends` is the end of the push, counted from 1, or 0 while the push has no outcome. A number takes one byte, or
  -- two when the row has more than 255 different ends.
  slots bytea not null,
  -- The different ends of the row's pushes, as JSON. An end is an outcome with its code, attempts and moment (core/slots.ts).
  ends text not null default '',
  primary key (day, campaign_id, batch_no, place)
) partition by range (day);
alter table ledger_batches alter column devices set storage external, alter column users set storage external;
-- Pages are filled to 80 % (store/partitions.ts) and no index has a column that changes, so an update mostly finds room on the same page and leaves
-- the indexes alone (HOT).
create index ledger_batches_by_device on ledger_batches (devices, campaign_id) where first_id is null;
create index ledger_batches_by_user on ledger_batches (users, campaign_id) where first_id is null;
create index ledger_batches_by_range on ledger_batches (campaign_id, last_id, first_id) where first_id is not null;

-- True once a campaign has a batch of more than 16 pushes. The pushes of a device in such batches are searched for in these campaigns only.
alter table counters add column has_ranges boolean not null default false;
create index counters_with_ranges on counters (app_id, campaign_id) where has_ranges;
