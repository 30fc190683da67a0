-- How many pushes a minute of a send are handed over for the first time (`sendRate`). Null in nearly every row, where it takes no space: no limit.
alter table fan_outs add column per_minute integer;

-- True in a batch of such a send until it is taken and done, so that it waits for its turn. Null in every other row.
alter table batches add column paced boolean;

-- When the next batch of a send with a rate has its turn: one row for all processes of audience, which each take locks and moves. A table of its own,
-- since the row of a fan-out is wide and a turn moves several times a second.
create table send_turns (
  app_id text collate "C" not null,
  campaign_id text collate "C" not null,
  next_at timestamptz not null default now(),
  primary key (app_id, campaign_id)
) with (fillfactor = 50);
