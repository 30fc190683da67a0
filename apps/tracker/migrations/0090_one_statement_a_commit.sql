-- Everything that is committed together is written by one statement. Before, a commit of outcomes took six round trips to the database, and a commit
-- of a fan-out's report up to seven; and a round trip costs tracker and database as much CPU as the work in it. The statements are in functions,
-- because a connection parses the statements of a function only once.

-- Fills slots of batches of one day, and gives how many rows it wrote. A row is unchanged since it was read when it has as many filled slots as then
-- (`was`), since a slot is filled only once. A row that has changed is not written. `filled` is in the order of the key, the order in which every
-- writer locks rows. The plan is made anew for the day: a plan for all days would lock the partitions of all days.
create function tracker.fill_slots(on_day date, filled json) returns bigint language plpgsql volatile set plan_cache_mode = force_custom_plan as $$
declare
  written bigint;
begin
  with locked as materialized (
    select there.ctid, f.slots, f.ends, f.sent, f.failed, f.skipped
    from json_to_recordset(filled) as f(campaign_id text, batch_no int, place smallint, was int, slots text, ends text, sent smallint, failed smallint, skipped smallint)
    cross join lateral (
      select l.ctid from tracker.ledger_batches l
      where l.day = on_day and l.campaign_id = decode(f.campaign_id, 'hex') and l.batch_no = f.batch_no and l.place = f.place
        and l.sent + l.failed + l.skipped = f.was
      for no key update
    ) as there
  )
  update tracker.ledger_batches l
  set slots = decode(locked.slots, 'hex'), ends = locked.ends, sent = locked.sent, failed = locked.failed, skipped = locked.skipped
  from locked where l.day = on_day and l.ctid = locked.ctid;
  get diagnostics written = row_count;
  return written;
end
$$;

-- Writes outcomes of batches of one day: slots, announcements and counters. `asked`: the apps, each with the version of its row of `listeners` that
-- the caller has read, -1 when there was no row. `filled`: the rows of the ledger with their new slots. `announced`: the announcements. `of_variants`
-- and `of_campaigns`: what is added to the counters of variants and of campaigns. Gives the campaigns that this call settles. Raises HR001, and
-- writes nothing, when a row of `listeners` or of the ledger has changed since it was read.
create function tracker.write_outcomes(on_day date, asked json, filled json, announced json, of_variants json, of_campaigns json)
returns text[] language plpgsql volatile as $$
begin
  -- The same lock as in listeners_of (0080): a change of `listeners` is answered only after this transaction ends.
  perform pg_advisory_xact_lock_shared(hashtextextended('tracker.listeners', place))
    from (select distinct hashtext(app.id) & 63 as place from json_to_recordset(asked) as app(id text) order by 1) places;
  if exists (
    select from json_to_recordset(asked) as app(id text, version bigint)
    where app.version <> coalesce((select l.version from tracker.listeners l where l.app_id = app.id), -1)
  ) or tracker.fill_slots(on_day, filled) < json_array_length(filled) then
    raise exception 'no longer as it was read' using errcode = 'HR001';
  end if;
  if json_array_length(announced) > 0 then perform tracker.insert_announcements(announced); end if;
  if json_array_length(of_variants) > 0 then perform tracker.move_variant_counters(of_variants); end if;
  return tracker.move_counters(of_campaigns);
end
$$;

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

-- Adds what is new to the counters of campaigns. When the fan-out of a campaign has ended and every queued push has an outcome, the same statement
-- settles the campaign. It also inserts the settlement, of which campaigns and audience are told. Gives the campaigns that this call settles. Rows
-- are first locked in the order of their ids, because an update with a join locks rows in any order.
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

-- Writes what fan-outs have queued so far. Totals of queued pushes only grow, and a row of the ledger that exists stays as it is. `reports` are in
-- the order of their campaigns, each campaign once. Nothing is written for deleted apps (0003), and no row for a day past the retention. Gives the
-- campaigns whose fan-out ends with this call, if the call settles them or an endpoint of their app asks for events. `heard` in the answer has the
-- event types that endpoints ask for. `unheard` says that the caller has not prepared to announce the end of a fan-out. Then the function writes
-- nothing and gives null when a fan-out ends with this call and an endpoint of its app asks for events: the caller repeats the call in a transaction
-- that can announce.
create function tracker.write_report(reports json, rows json, retention_days int, unheard boolean) returns json language plpgsql volatile as $$
declare
  ending_apps text[];
  heard jsonb;
  known text[];
  ended jsonb := '[]';
  also_ended jsonb;
begin
  select array_agg(distinct r.app_id) into ending_apps from json_to_recordset(reports) as r(app_id text, ended boolean) where r.ended;
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
    jsonb_agg(to_jsonb(made)) filter (where fanned_out_at is not null and (settled_at is not null or heard ? app_id))
  into known, also_ended from made;
  ended := ended || coalesce(also_ended, '[]');

  if cardinality(known) < json_array_length(reports) then
    with told as materialized (
      select * from json_to_recordset(reports) as r(campaign_id text, ios int, android int, web int, has_ranges boolean, ended boolean)
      where not r.campaign_id = any(known)
    ), locked as materialized (
      select c.campaign_id, c.fanned_out_at, c.settled_at from tracker.counters c where c.campaign_id = any(array(select campaign_id from told))
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
      returning c.*, locked.fanned_out_at is null and told.ended as ends, locked.settled_at is null and c.settled_at is not null as settles
    )
    select known || coalesce(array_agg(raised.campaign_id), '{}'),
      jsonb_agg(to_jsonb(raised)) filter (where ends and (settles or heard ? app_id))
    into known, also_ended from raised;
    ended := ended || coalesce(also_ended, '[]');
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

  return (
    select coalesce(json_agg(json_build_object('campaign', one, 'at', now(), 'heard', heard -> (one ->> 'app_id'))), '[]')
    from jsonb_array_elements(ended) as one
  );
end
$$;
