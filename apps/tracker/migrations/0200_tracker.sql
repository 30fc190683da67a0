-- Ids are compared byte by byte (collate "C"). Tables by day are partitioned by the UTC date of the campaign's first page, which every outcome and
-- report of the campaign carries. The tracker makes the partitions (store/partitions.ts).

-- Ledger ------------------------------------------------------------------------------------------------------------------

-- One row per batch, with a slot for each push that says how the push ended. The ids are written once, when audience reports the batch; an outcome
-- changes only `slots`, `ends` and the sums (`sent`, `failed`, `skipped`).

-- A batch of at most 16 pushes has a row per push instead, so that an index finds the pushes of a device or user, however many campaigns the app has.
create table ledger_batches (
  day date not null,
  batch_no integer not null,
  -- The place, within the batch, of the first push in this row.
  place smallint not null,
  size smallint not null,
  -- How many of the row's pushes were sent, failed or were skipped; the others have no outcome yet. A search for pushes of one outcome skips the rows
  -- in which its number is 0.
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
  devices bytea storage external not null,
  users bytea storage external not null,
  -- A number for each push: which of `ends` is its end, counted from 1, or 0 while it has no outcome. A number takes one byte, or two when the row
  -- has more than 255 different ends.
  slots bytea not null,
  -- The different ends of the row's pushes, as JSON. An end is an outcome with its code, attempts and moment (core/slots.ts).
  ends text not null default '',
  primary key (day, campaign_id, batch_no, place)
) partition by range (day);
-- Pages are filled to 80 % (store/partitions.ts) and no index has a column that changes, so an update mostly finds room on the same page and leaves
-- the indexes alone (HOT).
create index ledger_batches_by_device on ledger_batches (devices, campaign_id) where first_id is null;
create index ledger_batches_by_user on ledger_batches (users, campaign_id) where first_id is null;
-- Finds the row of a larger batch by the range of its device ids.
create index ledger_batches_by_range on ledger_batches (campaign_id, last_id, first_id) where first_id is not null;

-- The provider's answers to the earlier attempts of pushes that were attempted more than once. They have a table of their own, so that the ledger's
-- rows pay nothing for them.
create table ledger_attempts (
  day date not null,
  campaign_id bytea not null,
  batch_no integer not null,
  place smallint not null,
  -- At most four answers, oldest first: [{at, code, providerCode}].
  trail jsonb not null,
  primary key (day, campaign_id, batch_no, place)
) partition by range (day);

-- What devices reported about pushes. Ids as bytes and the kind as one letter make a report 131 bytes instead of 220, and its WAL 264 bytes instead
-- of 354 (100,000 reports in random order, 20 a commit).

-- At most one row per push and kind. A campaign has one day, so a report is unique when it is unique in its partition: the parent has no key, and
-- each partition has a unique index (store/partitions.ts).
create table engagements (
  at timestamptz not null default now(),
  day date not null,
  -- d, o, c or x, as in the address of a report.
  kind "char" not null,
  campaign_id bytea not null,
  subscription_id bytea not null,
  -- The variant that the report's msgId names. A report counts for it even while its push has no outcome, so a recount needs it here.
  variant text not null default ''
) partition by range (day);

-- Counters ----------------------------------------------------------------------------------------------------------------

-- One row per campaign, which many transactions update. Pages are filled to 60 % and no index has a column that changes, so an update mostly finds
-- room on the same page and leaves the indexes alone (HOT).
create table counters (
  campaign_id text collate "C" primary key,
  app_id text collate "C" not null,
  day date not null,
  name text not null,
  transactional boolean not null,
  queued_ios integer not null default 0,
  queued_android integer not null default 0,
  queued_web integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  delivered integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  dismissed integer not null default 0,
  created_at timestamptz not null default now(),
  fanned_out_at timestamptz,
  settled_at timestamptz,
  -- How many pushes of each platform have an outcome.
  settled_ios integer not null default 0,
  settled_android integer not null default 0,
  settled_web integer not null default 0,
  -- True once a campaign has a batch of more than 16 pushes. The pushes of a device in such batches are searched for in these campaigns only.
  has_ranges boolean not null default false,
  -- True for a test, which is counted in no series and whose events say that it is a test.
  test boolean not null default false
) with (fillfactor = 60);
-- For reading an app's campaigns newest first: an id begins with the second in which it was made. The pushes of an app are found through this index.
create index counters_by_app on counters (app_id, campaign_id);
create index counters_with_ranges on counters (app_id, campaign_id) where has_ranges;
-- For deleting old counters, and for the reconciler, which reads the campaigns of the last days.
create index counters_by_day on counters (day, campaign_id);

create table variant_counters (
  campaign_id text collate "C" not null,
  variant text collate "C" not null,
  sent integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  delivered integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  dismissed integer not null default 0,
  primary key (campaign_id, variant)
) with (fillfactor = 60);

-- Settled campaigns of which campaigns and audience must be told. A row is kept until both have confirmed it.
create table settlements (
  campaign_id text collate "C" primary key,
  campaigns_told boolean not null default false,
  audience_told boolean not null default false,
  due_at timestamptz not null
);
create index settlements_due on settlements (due_at);

-- Series ------------------------------------------------------------------------------------------------------------------

-- Counters of an app by the hour. A transaction that changes counters of campaigns also adds what is new, except of tests, to the row of the hour in
-- which the transaction began, by the database's clock.

-- Rows of this table, and then of app_hour_codes, are locked last, after the counters of campaigns and in the order of their key: a transaction that
-- has locked all of its rows waits for nothing but its commit.

-- Pages are filled to 50 % and no index has a column that changes, so an update mostly finds room on the same page and leaves the indexes alone
-- (HOT).
create table app_hours (
  app_id text collate "C" not null,
  hour timestamptz not null,
  platform text collate "C" not null,
  -- Many transactions of one app would wait for one row, so an hour has 16 (0 to 15). Reads add them up. When the next hour is over too, they are
  -- merged into one row (16).
  slot smallint not null,
  queued integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  delivered integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  dismissed integer not null default 0,
  primary key (app_id, hour, platform, slot)
) with (fillfactor = 50);
-- For merging the slots of an hour that is over, and hours into days. These indexes change only when a row is inserted or deleted.
create index app_hours_by_slots on app_hours (hour) where slot < 16;
create index app_hours_by_hour on app_hours (hour);

-- How many pushes of an app failed or were skipped in an hour, by code.
create table app_hour_codes (
  app_id text collate "C" not null,
  hour timestamptz not null,
  platform text collate "C" not null,
  outcome text collate "C" not null,
  code text collate "C" not null,
  slot smallint not null,
  count integer not null,
  primary key (app_id, hour, platform, outcome, code, slot)
) with (fillfactor = 50);
create index app_hour_codes_by_slots on app_hour_codes (hour) where slot < 16;
create index app_hour_codes_by_hour on app_hour_codes (hour);

-- Counters of an app by UTC day. Hours are merged into days after 35 days.
create table app_days (
  app_id text collate "C" not null,
  day date not null,
  platform text collate "C" not null,
  queued bigint not null,
  sent bigint not null,
  failed bigint not null,
  skipped bigint not null,
  delivered bigint not null,
  opened bigint not null,
  clicked bigint not null,
  dismissed bigint not null,
  primary key (app_id, day, platform)
);
create index app_days_by_day on app_days (day);

create table app_day_codes (
  app_id text collate "C" not null,
  day date not null,
  platform text collate "C" not null,
  outcome text collate "C" not null,
  code text collate "C" not null,
  count bigint not null,
  primary key (app_id, day, platform, outcome, code)
);
create index app_day_codes_by_day on app_day_codes (day);

-- `campaign_codes` and `curve_steps` are for campaigns of more than 1,000 pushes. A campaign is counted here too while its fan-out runs, because it
-- may still grow; the rows of one that stays smaller are not used.

-- How many pushes of a campaign failed or were skipped, by code. A transaction locks the campaign's row of counters before it writes rows of either
-- table, and the rows are deleted with the counters.
create table campaign_codes (
  campaign_id text collate "C" not null,
  platform text collate "C" not null,
  outcome text collate "C" not null,
  code text collate "C" not null,
  count integer not null,
  primary key (campaign_id, platform, outcome, code)
) with (fillfactor = 50);

-- How many reports of devices came in each step of time.
create table curve_steps (
  campaign_id text collate "C" not null,
  step smallint not null,
  delivered integer not null,
  opened integer not null,
  clicked integer not null,
  dismissed integer not null,
  primary key (campaign_id, step)
) with (fillfactor = 50);

-- Events for webhooks -----------------------------------------------------------------------------------------------------

-- Up to 1,000 events of one transaction, kept until webhooks has confirmed them. Those older than two days are dropped, and the oldest when all
-- together take more than 1 GB (libs/service/src/bound-announcements.ts).
create table announcements (
  id text collate "C" primary key,
  subject text not null,
  -- JSON that no query reads, so it is text, which Postgres need not parse. It is not compressed: with 1,000 events that would take ~3 µs per event,
  -- too much for a row that lives for milliseconds.
  body text storage external not null,
  due_at timestamptz not null,
  pointer_no integer not null default 0
);
create index announcements_due on announcements (due_at);
-- By this index the sweep counts the repeated announcements to see whether it may repeat others. They are few: even while webhooks confirms none, the
-- sweep begins to repeat only about 200 further ones every 20 minutes.
create index announcements_repeated on announcements (due_at, pointer_no) where pointer_no > 0;

-- The types of events that the webhook endpoints of an app ask for. Webhooks tells the tracker before it answers that an endpoint exists. For an app
-- without a row no event is announced.
create table listeners (
  app_id text collate "C" primary key,
  -- When two messages of webhooks arrive in the wrong order, the one with the higher version counts.
  version bigint not null,
  event_types text[] not null
);

-- The whole service -------------------------------------------------------------------------------------------------------

-- How far the reconciler has come, and what it has found. One row, so that several trackers do one round together and all of them show the same.
create table reconciliation (
  is_only boolean primary key default true check (is_only),
  round jsonb not null,
  -- The next piece of work may begin then. While a piece is under way this is when another tracker may take it for lost.
  next_at timestamptz not null default now()
);
insert into reconciliation (round) values
  ('{"pending": [], "after": null, "working": null, "written": null, "compared": null, "found": {}, "foundBefore": {}, "roundEndedAt": null}');

-- Marks of deleted apps. Messages about such an app that arrive late write nothing, so that its rows do not come back.
create table erased_apps (
  app_id text collate "C" primary key,
  at timestamptz not null default now()
);

-- Housekeeping that one process at a time does, by name.
create table housework (
  name text primary key,
  -- When the next process may begin. While one works, the time after which it is dead.
  next_at timestamptz not null
);

-- Deleted apps ------------------------------------------------------------------------------------------------------------

-- Leaves out new rows of a marked app, whenever the transaction began. The erasure commits the mark and then locks the app once, exclusively
-- (libs/service/src/erased-apps.ts). A transaction that writes counters of the app takes the same lock, shared.

-- When the transaction gets the lock first, the erasure waits for it, and then sees and deletes its row. While the erasure waits for the lock or
-- holds it, the transaction does not get it and leaves the row out.

-- After the erasure the transaction finds the mark: a statement in a volatile function sees everything that is committed when the statement begins
-- (read committed).
create function tracker.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('tracker.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from tracker.erased_apps where app_id = new.app_id) then return null; end if;
  return new;
end
$$;

-- Outcomes and reports of devices need no such check: they update an existing row of counters. When that row is gone they are rolled back, and the
-- repeat finds the mark.
create trigger leave_out_erased before insert on counters for each row execute function tracker.leave_out_erased();
create trigger leave_out_erased before insert on listeners for each row execute function tracker.leave_out_erased();

-- Says whether an app is not deleted, and keeps it for this transaction. Raising totals in existing counters needs this too: an erasure may already
-- delete the app's ledger, and rows that are added now would stay without counters.
create function tracker.is_kept(app text) returns boolean language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('tracker.erased-app ' || app, 0)) then return false; end if;
  return not exists (select from tracker.erased_apps where app_id = app);
end
$$;

-- Listeners ---------------------------------------------------------------------------------------------------------------

-- Gives the event types that endpoints of these apps ask for. A transaction that makes events shares a lock from this call until it ends. All apps
-- have 64 locks, so a transaction about many apps holds few.

-- The statement after the lock sees everything that is committed when it begins (read committed). So every event that is committed after webhooks was
-- answered takes the change of `listeners` into account.
create function tracker.listeners_of(app_ids text[]) returns table (app_id text, event_types text[]) language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('tracker.listeners', place))
    from (select distinct hashtext(asked.id) & 63 as place from unnest(app_ids) as asked(id) order by 1) places;
  return query
    select l.app_id, l.event_types from unnest(app_ids) as asked(id)
      cross join lateral (select * from tracker.listeners where listeners.app_id = asked.id offset 0) l
    where cardinality(l.event_types) > 0;
end
$$;

-- Waits, after a change of `listeners` was committed, for the transactions that may have read the old rows. Others queue behind each lock that this
-- function waits for, so each wait ends with an error after 2 s.
create function tracker.wait_for_events_of(app_ids text[]) returns void language plpgsql volatile set lock_timeout = '2s' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tracker.listeners', place))
    from (select distinct hashtext(asked.id) & 63 as place from unnest(app_ids) as asked(id) order by 1) places;
end
$$;

-- Commits -----------------------------------------------------------------------------------------------------------------

-- One statement writes everything that is committed together, because a round trip costs tracker and database as much CPU as the work in it. The
-- statements are in functions, because a connection parses the statements of a function only once.

create function tracker.insert_announcements(announced json) returns void language sql volatile as $$
  insert into tracker.announcements (id, subject, body, due_at)
  select one.id, one.subject, one.body, now() + interval '5 seconds' from json_to_recordset(announced) as one(id text, subject text, body text)
$$;

-- Adds to the counters of variants, or makes them, in the order given. Every transaction calls it before move_counters, so that all lock the two
-- tables in the same order.
create function tracker.move_variant_counters(moves json) returns void language sql volatile as $$
  insert into tracker.variant_counters as v (campaign_id, variant, sent, failed, skipped, delivered, opened, clicked, dismissed)
  select m.campaign_id, m.variant, coalesce(m.sent, 0), coalesce(m.failed, 0), coalesce(m.skipped, 0), coalesce(m.delivered, 0),
    coalesce(m.opened, 0), coalesce(m.clicked, 0), coalesce(m.dismissed, 0)
  from json_to_recordset(moves) as m(
    campaign_id text, variant text, sent int, failed int, skipped int, delivered int, opened int, clicked int, dismissed int)
  on conflict (campaign_id, variant) do update set sent = v.sent + excluded.sent, failed = v.failed + excluded.failed, skipped = v.skipped + excluded.skipped,
    delivered = v.delivered + excluded.delivered, opened = v.opened + excluded.opened, clicked = v.clicked + excluded.clicked,
    dismissed = v.dismissed + excluded.dismissed
$$;

-- Adds to the counters of campaigns, settles each campaign whose fan-out has ended and whose queued pushes all have an outcome, and inserts its
-- settlement. Gives the campaigns that this call settles.

-- Rows are first locked in the order of their ids, because an update with a join locks rows in any order.
create function tracker.move_counters(moves json) returns text[] language plpgsql volatile as $$
declare
  moved_rows bigint;
  settled text[];
begin
  with moved as materialized (
    select * from json_to_recordset(moves) as m(
      campaign_id text, sent int, failed int, skipped int, delivered int, opened int, clicked int, dismissed int, settled_ios int, settled_android int, settled_web int)
  ), locked as materialized (
    select c.campaign_id, c.settled_at from tracker.counters c where c.campaign_id = any(array(select campaign_id from moved))
    order by c.campaign_id for no key update
  ), summed as (
    update tracker.counters c set
      sent = c.sent + coalesce(moved.sent, 0), failed = c.failed + coalesce(moved.failed, 0), skipped = c.skipped + coalesce(moved.skipped, 0),
      delivered = c.delivered + coalesce(moved.delivered, 0), opened = c.opened + coalesce(moved.opened, 0),
      clicked = c.clicked + coalesce(moved.clicked, 0), dismissed = c.dismissed + coalesce(moved.dismissed, 0),
      settled_ios = c.settled_ios + coalesce(moved.settled_ios, 0), settled_android = c.settled_android + coalesce(moved.settled_android, 0),
      settled_web = c.settled_web + coalesce(moved.settled_web, 0),
      settled_at = case
        when c.settled_at is null and c.fanned_out_at is not null and c.queued_ios + c.queued_android + c.queued_web
          = c.sent + coalesce(moved.sent, 0) + c.failed + coalesce(moved.failed, 0) + c.skipped + coalesce(moved.skipped, 0) then now()
        else c.settled_at end
    from moved join locked on locked.campaign_id = moved.campaign_id
    where c.campaign_id = any(array(select campaign_id from locked)) and c.campaign_id = moved.campaign_id
    returning c.campaign_id, locked.settled_at is null and c.settled_at is not null as is_settled
  ), promised as (
    insert into tracker.settlements (campaign_id, due_at) select campaign_id, now() + interval '5 seconds' from summed where is_settled
  )
  select count(*), coalesce(array_agg(campaign_id) filter (where is_settled), '{}') into moved_rows, settled from summed;
  if moved_rows < json_array_length(moves) then
    raise exception 'what is counted belongs to a campaign without totals: %', (select string_agg(m.campaign_id, ', ')
      from json_to_recordset(moves) as m(campaign_id text) where not exists (select from tracker.counters c where c.campaign_id = m.campaign_id offset 0));
  end if;
  return settled;
end
$$;

-- Adds `moves` to the counters of the present hour, in the order given. The caller's transaction has locked the counters of these campaigns. `codes`:
-- how many pushes failed or were skipped with each code; null when none did.

-- Gives `settled` unchanged, so that the caller can write `move_series(count_outcomes(…), …)`: count_outcomes runs first, and its answer is the
-- answer.
create function tracker.move_series(settled text[], moves json, codes json, in_slot smallint) returns text[] language plpgsql volatile as $$
begin
  if codes is not null then
    insert into tracker.campaign_codes as c (campaign_id, platform, outcome, code, count)
    select m.campaign_id, m.platform, m.outcome, m.code, m.count
    from json_to_recordset(codes) as m(campaign_id text, platform text, outcome text, code text, count int)
      cross join lateral (
        select from tracker.counters k where k.campaign_id = m.campaign_id
          and (k.fanned_out_at is null or k.queued_ios + k.queued_android + k.queued_web > 1000) offset 0
      ) as kept
    on conflict (campaign_id, platform, outcome, code) do update set count = c.count + excluded.count;
  end if;
  insert into tracker.app_hours as h (app_id, hour, platform, slot, sent, failed, skipped, delivered, opened, clicked, dismissed)
  select m.app_id, date_trunc('hour', now(), 'UTC'), m.platform, in_slot, coalesce(m.sent, 0), coalesce(m.failed, 0), coalesce(m.skipped, 0),
    coalesce(m.delivered, 0), coalesce(m.opened, 0), coalesce(m.clicked, 0), coalesce(m.dismissed, 0)
  from json_to_recordset(moves) as m(
    app_id text, platform text, sent int, failed int, skipped int, delivered int, opened int, clicked int, dismissed int)
  on conflict (app_id, hour, platform, slot) do update set sent = h.sent + excluded.sent, failed = h.failed + excluded.failed,
    skipped = h.skipped + excluded.skipped, delivered = h.delivered + excluded.delivered, opened = h.opened + excluded.opened,
    clicked = h.clicked + excluded.clicked, dismissed = h.dismissed + excluded.dismissed;
  if codes is not null then
    insert into tracker.app_hour_codes as c (app_id, hour, platform, outcome, code, slot, count)
    select m.app_id, date_trunc('hour', now(), 'UTC'), m.platform, m.outcome, m.code, in_slot, sum(m.count)
    from json_to_recordset(codes) as m(app_id text, platform text, outcome text, code text, count int)
    group by m.app_id, m.platform, m.outcome, m.code
    order by m.app_id collate "C", m.platform collate "C", m.outcome collate "C", m.code collate "C"
    on conflict (app_id, hour, platform, outcome, code, slot) do update set count = c.count + excluded.count;
  end if;
  return settled;
end
$$;

-- Adds everything that reports of devices change: counters of variants and campaigns, curves of large campaigns, hours. `of_hours` is without tests.

-- A step of a curve is 10 minutes long during the first day after the tracker heard of the campaign, and then an hour. The 2,000th step is the last
-- one, and everything later is counted in it.
create function tracker.move_engagements(of_variants json, of_campaigns json, of_hours json, in_slot smallint) returns void language plpgsql volatile as $$
begin
  if json_array_length(of_variants) > 0 then perform tracker.move_variant_counters(of_variants); end if;
  perform tracker.move_counters(of_campaigns);
  insert into tracker.curve_steps as s (campaign_id, step, delivered, opened, clicked, dismissed)
  select m.campaign_id, case when age.seconds < 86400 then age.seconds / 600 else least(1999, 144 + (age.seconds - 86400) / 3600) end,
    coalesce(m.delivered, 0), coalesce(m.opened, 0), coalesce(m.clicked, 0), coalesce(m.dismissed, 0)
  from json_to_recordset(of_campaigns) as m(campaign_id text, delivered int, opened int, clicked int, dismissed int)
    cross join lateral (
      select greatest(0, floor(extract(epoch from now() - k.created_at)))::int as seconds from tracker.counters k
      where k.campaign_id = m.campaign_id and (k.fanned_out_at is null or k.queued_ios + k.queued_android + k.queued_web > 1000) offset 0
    ) as age
  on conflict (campaign_id, step) do update set delivered = s.delivered + excluded.delivered, opened = s.opened + excluded.opened,
    clicked = s.clicked + excluded.clicked, dismissed = s.dismissed + excluded.dismissed;
  if json_array_length(of_hours) > 0 then perform tracker.move_series(null, of_hours, null, in_slot); end if;
end
$$;

-- Does what is left of a commit of outcomes after the caller's statement has filled the slots of a day's partition: announcements and counters. Gives
-- the campaigns that this call settles.

-- `asked`: the apps, each with the version of its row of `listeners` that the caller has read, -1 when there was no row. `written`: how many rows of
-- the ledger the statement has filled, of `wanted`.

-- Raises HR001, so that nothing is written, when a row of `listeners` or of the ledger has changed since it was read.
create function tracker.count_outcomes(asked json, written bigint, wanted bigint, announced json, of_variants json, of_campaigns json)
returns text[] language plpgsql volatile as $$
begin
  -- The same lock as in listeners_of: a change of `listeners` is answered only after this transaction ends.
  perform pg_advisory_xact_lock_shared(hashtextextended('tracker.listeners', place))
    from (select distinct hashtext(app.id) & 63 as place from json_to_recordset(asked) as app(id text) order by 1) places;
  if exists (
    select from json_to_recordset(asked) as app(id text, version bigint)
    where app.version <> coalesce((select l.version from tracker.listeners l where l.app_id = app.id), -1)
  ) or written < wanted then
    raise exception 'no longer as it was read' using errcode = 'HR001';
  end if;
  if json_array_length(announced) > 0 then perform tracker.insert_announcements(announced); end if;
  if json_array_length(of_variants) > 0 then perform tracker.move_variant_counters(of_variants); end if;
  return tracker.move_counters(of_campaigns);
end
$$;

-- Writes what fan-outs have queued so far. Totals of queued pushes only grow, and a row of the ledger that exists stays as it is. Nothing is written
-- for deleted apps, and no row for a day past the retention.

-- `reports`: each campaign once, in the order of the campaigns, and the slot of the hour in which the rise of its totals is counted, unless it is a
-- test.

-- Gives the campaigns whose fan-out ends with this call, if the call settles them or an endpoint of their app asks for events. `heard` in the answer
-- has the event types that endpoints ask for.

-- `unheard`: the caller has not prepared to announce the end of a fan-out. When one ends for which an endpoint asks, the function writes nothing and
-- gives null, and the caller repeats the call in a transaction that can announce.
create function tracker.write_report(reports json, rows json, retention_days int, unheard boolean) returns json language plpgsql volatile as $$
declare
  ending_apps text[];
  heard jsonb;
  known text[];
  ended jsonb := '[]';
  also_ended jsonb;
  tests text[];
  in_slot smallint;
  -- By how much the queued pushes of each campaign rose, and at the same index of `rose_app` its app. Tests are left out. `more_*`: the campaigns that
  -- had counters before, appended to `rose_*` after the new ones.
  rose_app text[];
  rose_ios int[];
  rose_android int[];
  rose_web int[];
  more_app text[];
  more_ios int[];
  more_android int[];
  more_web int[];
begin
  select array_agg(distinct r.app_id) filter (where r.ended), coalesce(array_agg(r.campaign_id) filter (where r.test), '{}'), coalesce(min(r.slot), 0)
    into ending_apps, tests, in_slot
    from json_to_recordset(reports) as r(campaign_id text, app_id text, ended boolean, test boolean, slot smallint);
  if ending_apps is not null then
    select jsonb_object_agg(l.app_id, l.event_types) into heard from tracker.listeners_of(ending_apps) l;
    if unheard and heard is not null then return null; end if;
  end if;

  with made as (
    insert into tracker.counters as c (campaign_id, app_id, day, name, transactional, queued_ios, queued_android, queued_web, has_ranges, fanned_out_at, settled_at)
    select r.campaign_id, r.app_id, r.day, r.name, r.transactional, r.ios, r.android, r.web, r.has_ranges,
      case when r.ended then now() end, case when r.ended and r.ios + r.android + r.web = 0 then now() end
    from json_to_recordset(reports) as r(
      campaign_id text, app_id text, day date, name text, transactional boolean, ios int, android int, web int, has_ranges boolean, ended boolean)
    on conflict (campaign_id) do nothing
    returning c.*
  )
  select coalesce(array_agg(made.campaign_id), '{}'),
    jsonb_agg(to_jsonb(made)) filter (where fanned_out_at is not null and (settled_at is not null or heard ? app_id)),
    array_agg(made.app_id) filter (where made.campaign_id <> all(tests)), array_agg(made.queued_ios) filter (where made.campaign_id <> all(tests)),
    array_agg(made.queued_android) filter (where made.campaign_id <> all(tests)), array_agg(made.queued_web) filter (where made.campaign_id <> all(tests))
  into known, also_ended, rose_app, rose_ios, rose_android, rose_web from made;
  ended := ended || coalesce(also_ended, '[]');

  if cardinality(known) < json_array_length(reports) then
    with told as materialized (
      select * from json_to_recordset(reports) as r(campaign_id text, app_id text, ios int, android int, web int, has_ranges boolean, ended boolean)
      where not r.campaign_id = any(known) and tracker.is_kept(r.app_id)
    ), locked as materialized (
      select c.campaign_id, c.fanned_out_at, c.settled_at, c.queued_ios, c.queued_android, c.queued_web
      from tracker.counters c where c.campaign_id = any(array(select campaign_id from told))
      order by c.campaign_id for no key update
    ), raised as (
      update tracker.counters c set
        queued_ios = greatest(c.queued_ios, told.ios), queued_android = greatest(c.queued_android, told.android),
        queued_web = greatest(c.queued_web, told.web), has_ranges = c.has_ranges or told.has_ranges,
        fanned_out_at = coalesce(c.fanned_out_at, case when told.ended then now() end),
        settled_at = case
          when c.settled_at is null and c.fanned_out_at is null and told.ended and c.sent + c.failed + c.skipped
            = greatest(c.queued_ios, told.ios) + greatest(c.queued_android, told.android) + greatest(c.queued_web, told.web) then now()
          else c.settled_at end
      from told join locked on locked.campaign_id = told.campaign_id
      where c.campaign_id = any(array(select campaign_id from locked)) and c.campaign_id = told.campaign_id
      returning c.*, locked.fanned_out_at is null and told.ended as ends, locked.settled_at is null and c.settled_at is not null as settles,
        c.queued_ios - locked.queued_ios as by_ios, c.queued_android - locked.queued_android as by_android, c.queued_web - locked.queued_web as by_web
    )
    select known || coalesce(array_agg(raised.campaign_id), '{}'),
      jsonb_agg(to_jsonb(raised)) filter (where ends and (settles or heard ? app_id)),
      array_agg(raised.app_id) filter (where raised.campaign_id <> all(tests)), array_agg(raised.by_ios) filter (where raised.campaign_id <> all(tests)),
      array_agg(raised.by_android) filter (where raised.campaign_id <> all(tests)), array_agg(raised.by_web) filter (where raised.campaign_id <> all(tests))
    into known, also_ended, more_app, more_ios, more_android, more_web from raised;
    ended := ended || coalesce(also_ended, '[]');
    rose_app := rose_app || more_app;
    rose_ios := rose_ios || more_ios;
    rose_android := rose_android || more_android;
    rose_web := rose_web || more_web;
  end if;

  insert into tracker.ledger_batches (day, batch_no, place, size, campaign_id, app_id, platform, first_id, last_id, devices, users, slots)
  select r.day, r.batch_no, r.place, r.size, decode(r.campaign_id, 'hex'), decode(r.app_id, 'hex'), r.platform, decode(r.first_id, 'hex'), decode(r.last_id, 'hex'),
    decode(r.devices, 'base64'), decode(r.users, 'base64'), decode(repeat('00', r.size), 'hex')
  from json_to_recordset(rows) as r(day date, batch_no int, place smallint, size smallint, campaign_id text, app_id text, platform text,
    first_id text, last_id text, devices text, users text)
  where r.day >= (now() at time zone 'utc')::date - retention_days and r.campaign_id = any(known)
  on conflict do nothing;

  insert into tracker.settlements (campaign_id, due_at)
  select one ->> 'campaign_id', now() + interval '5 seconds' from jsonb_array_elements(ended) as one where one ->> 'settled_at' is not null;

  -- Rows of the hour come last, as in every transaction.
  insert into tracker.app_hours as h (app_id, hour, platform, slot, queued)
  select rose.app_id, date_trunc('hour', now(), 'UTC'), by_platform.platform, in_slot, by_platform.queued
  from (
    select of_app.id as app_id, sum(of_app.ios) as ios, sum(of_app.android) as android, sum(of_app.web) as web
    from unnest(rose_app, rose_ios, rose_android, rose_web) as of_app(id, ios, android, web) group by of_app.id
  ) as rose
    cross join lateral (values ('android', rose.android), ('ios', rose.ios), ('web', rose.web)) as by_platform(platform, queued)
  where by_platform.queued > 0
  order by rose.app_id collate "C", by_platform.platform collate "C"
  on conflict (app_id, hour, platform, slot) do update set queued = h.queued + excluded.queued;

  return (
    select coalesce(json_agg(json_build_object('campaign', one, 'at', now(), 'heard', heard -> (one ->> 'app_id'))), '[]')
    from jsonb_array_elements(ended) as one
  );
end
$$;
