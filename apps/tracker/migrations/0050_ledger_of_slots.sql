-- One row per batch and one slot per push: how the push at place p of batch n of a campaign ended. Ids are written once, when audience reports the batch; later
-- outcomes write the slots alone. A batch of at most 16 pushes is kept as a row per push, so that the few pushes of a device or a user are found by an index
-- however many campaigns their app has. A larger batch is found by the range of its devices. Ids are 12 bytes each.
drop table ledger;
create table ledger_batches (
  day date not null,
  batch_no integer not null,
  -- The place of the row's first push in its batch.
  place smallint not null,
  size smallint not null,
  -- How many of its pushes ended so: rows without what is looked for are passed over, and what is open is the rest.
  sent smallint not null default 0,
  failed smallint not null default 0,
  skipped smallint not null default 0,
  campaign_id bytea not null,
  app_id bytea not null,
  platform text not null,
  -- The lowest and the highest of its devices; null in the row of a single push.
  first_id bytea,
  last_id bytea,
  -- One after another. Out of line where they are many, and not compressed: an update of the slots never writes them again.
  devices bytea not null,
  users bytea not null,
  -- One byte per push, two where the row knows more than 255 ends: the number of its end, counted from 1; 0 is open.
  slots bytea not null,
  -- The ends that its pushes came to, as JSON (core/slots.ts).
  ends text not null default '',
  primary key (day, campaign_id, batch_no, place)
) partition by range (day);
alter table ledger_batches alter column devices set storage external, alter column users set storage external;
-- No index names a column that moves, and pages keep room (store/partitions.ts): every update stays on its page (HOT).
create index ledger_batches_by_device on ledger_batches (devices, campaign_id) where first_id is null;
create index ledger_batches_by_user on ledger_batches (users, campaign_id) where first_id is null;
create index ledger_batches_by_range on ledger_batches (campaign_id, last_id, first_id) where first_id is not null;

-- Whether a campaign has a batch that is looked for by range: a device's pushes are looked for in these campaigns only. Set once.
alter table counters add column has_ranges boolean not null default false;
create index counters_with_ranges on counters (app_id, campaign_id) where has_ranges;
