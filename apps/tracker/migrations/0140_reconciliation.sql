-- How far the reconciler has come, and what it has found. One row, so that several trackers do one round together and all of them show the same.
create table reconciliation (
  is_only boolean primary key default true check (is_only),
  round jsonb not null,
  -- The next piece of work may begin then. While a piece is under way this is when another tracker may take it for lost.
  next_at timestamptz not null default now()
);
insert into reconciliation (round) values
  ('{"pending": [], "after": null, "working": null, "written": null, "compared": null, "found": {}, "foundBefore": {}, "roundEndedAt": null}');
