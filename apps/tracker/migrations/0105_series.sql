-- Counters of an app by the hour, for charts and for the overview. A transaction that changes the counters of campaigns also adds what is new, except
-- of tests, to the row of the hour in which the transaction began, by the database's clock. So the counts of a row stop rising soon after its hour.
--
-- Many transactions of one app run at once, and all of them would wait for one row. So the counts of an hour are spread over 16 slots (0 to 15; not
-- slots of the ledger), and each kind of commit of a process uses one of them. Reads add the slots up, and when the next hour is over too they are
-- merged into one row (slot 16).
-- Rows of this table, and then of app_hour_codes, are locked last, after the counters of campaigns and in the order of their key: a transaction that
-- has locked all of its rows waits for nothing but its commit.
--
-- Pages are filled to 50 % and no index has a column that changes, so an update mostly finds room on the same page and leaves the indexes alone
-- (HOT).
create table app_hours (
  app_id text collate "C" not null,
  hour timestamptz not null,
  platform text collate "C" not null,
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

-- For campaigns of more than 1,000 pushes: `campaign_codes` has how many pushes failed or were skipped, by code, and `curve_steps` how many reports
-- came from devices in each step of time. While a fan-out is running its campaign may still grow beyond 1,000 pushes, so it is counted here too. Rows
-- of a campaign that stays smaller are not used, and are deleted with its counters. A transaction locks the campaign's row of counters before it
-- writes these rows.
create table campaign_codes (
  campaign_id text collate "C" not null,
  platform text collate "C" not null,
  outcome text collate "C" not null,
  code text collate "C" not null,
  count integer not null,
  primary key (campaign_id, platform, outcome, code)
) with (fillfactor = 50);
create table curve_steps (
  campaign_id text collate "C" not null,
  step smallint not null,
  delivered integer not null,
  opened integer not null,
  clicked integer not null,
  dismissed integer not null,
  primary key (campaign_id, step)
) with (fillfactor = 50);

-- True for a test, which is counted in no series. Another migration has the same line: the one that runs first makes the column.
alter table counters add column if not exists test boolean not null default false;

-- Adds `moves` to the counters of the present hour, in the order given. `codes` says how many pushes of each campaign failed or were skipped with
-- each code; it is null when none did. These numbers are added to `app_hour_codes` and, for large campaigns, to `campaign_codes`. The caller's
-- transaction has locked the counters of these campaigns. Gives `settled` unchanged. So the caller can write `move_series(write_outcomes(…), …)`:
-- write_outcomes runs first, this function after it, and the answer is that of write_outcomes.
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

-- Adds everything that reports of devices change: counters of variants and campaigns, curves of large campaigns, hours. A step of a curve is 10
-- minutes long during the first day after the tracker heard of the campaign, and then an hour. The 2,000th step is the last one, and everything later
-- is counted in it. `of_hours` is what is added to the hours of apps, without tests.
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

-- Says whether an app is not deleted, and keeps it from being deleted while this transaction lasts, by the check of leave_out_erased (0003). Raising
-- the totals in an existing row of counters needs this check too: an erasure may already be deleting rows of the ledger, and rows that are added now
-- would stay behind without counters.
create function tracker.is_kept(app text) returns boolean language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('tracker.erased-app ' || app, 0)) then return false; end if;
  return not exists (select from tracker.erased_apps where app_id = app);
end
$$;

-- Writes what fan-outs have queued so far, as before (0090). Now the counters of the present hour rise by as many queued pushes as the totals of each
-- campaign, unless it is a test. Each report names its slot; a report of an older process, which knows of no slots, gets slot 0.
--
-- Totals of queued pushes only grow, and a row of the ledger that exists stays as it is. `reports` are in the order of their campaigns, each campaign
-- once. Nothing is written for deleted apps (0003), and no row for a day past the retention.
-- Gives the campaigns whose fan-out ends with this call, if the call settles them or an endpoint of their app asks for events. `heard` in the answer
-- has the event types that endpoints ask for. `unheard` says that the caller has not prepared to announce the end of a fan-out. Then the function
-- writes nothing and gives null when a fan-out ends with this call and an endpoint of its app asks for events: the caller repeats the call in a
-- transaction that can announce.
create or replace function tracker.write_report(reports json, rows json, retention_days int, unheard boolean) returns json language plpgsql volatile as $$
declare
  ending_apps text[];
  heard jsonb;
  known text[];
  ended jsonb := '[]';
  also_ended jsonb;
  tests text[];
  in_slot smallint;
  -- By how much the queued pushes of each campaign rose, by platform. The campaign at an index belongs to the app at the same index of `rose_app`;
  -- tests are left out. `rose_*` begins with the campaigns that are new. `more_*` has the campaigns that had counters before, and is then appended to
  -- `rose_*`.
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
