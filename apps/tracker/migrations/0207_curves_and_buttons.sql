-- A curve by the minute in the first hour, for every campaign that is no notification, and clicks by button.

-- How many clicks of a campaign named an action, which is a button of its notification. They live as long as the campaign's counters.
create table campaign_actions (
  campaign_id text collate "C" not null references counters on delete cascade,
  action text collate "C" not null,
  clicked integer not null,
  primary key (campaign_id, action)
) with (fillfactor = 60);

-- Gives the step of a curve: a minute in the first hour after the tracker heard of the campaign (-60 to -1), 10 minutes in the first day (6 to 143),
-- and then an hour. Step 1999 is the last, and everything later is counted in it. Curves from before this file have steps 0 to 5 in the first hour.
create function tracker.curve_step(seconds int) returns smallint language sql immutable as $$
  select (case when seconds < 3600 then seconds / 60 - 60 when seconds < 86400 then seconds / 600
    else least(1999, 144 + (seconds - 86400) / 3600) end)::smallint
$$;

-- As in 0200, with clicks by action. Their rows are written when those of the counters are locked, so that two transactions never wait for each other.

-- A notification has a curve only if it has more than 1,000 pushes: an app may make a million notifications a month.
create function tracker.move_engagements(of_variants json, of_campaigns json, of_actions json, of_hours json, in_slot smallint)
returns void language plpgsql volatile as $$
begin
  if json_array_length(of_variants) > 0 then perform tracker.move_variant_counters(of_variants); end if;
  perform tracker.move_counters(of_campaigns);
  insert into tracker.curve_steps as s (campaign_id, step, delivered, opened, clicked, dismissed)
  select m.campaign_id, tracker.curve_step(age.seconds),
    coalesce(m.delivered, 0), coalesce(m.opened, 0), coalesce(m.clicked, 0), coalesce(m.dismissed, 0)
  from json_to_recordset(of_campaigns) as m(campaign_id text, delivered int, opened int, clicked int, dismissed int)
    cross join lateral (
      select greatest(0, floor(extract(epoch from now() - k.created_at)))::int as seconds from tracker.counters k
      where k.campaign_id = m.campaign_id
        and (not k.transactional or k.fanned_out_at is null or k.queued_ios + k.queued_android + k.queued_web > 1000) offset 0
    ) as age
  on conflict (campaign_id, step) do update set delivered = s.delivered + excluded.delivered, opened = s.opened + excluded.opened,
    clicked = s.clicked + excluded.clicked, dismissed = s.dismissed + excluded.dismissed;
  if json_array_length(of_actions) > 0 then
    insert into tracker.campaign_actions as a (campaign_id, action, clicked)
    select m.campaign_id, m.action, m.clicked from json_to_recordset(of_actions) as m(campaign_id text, action text, clicked int)
    on conflict (campaign_id, action) do update set clicked = a.clicked + excluded.clicked;
  end if;
  if json_array_length(of_hours) > 0 then perform tracker.move_series(null, of_hours, null, in_slot); end if;
end
$$;

-- As in 0201, with the steps of above.
create or replace function tracker.move_conversions(of_names json, of_campaigns json, of_hours json, in_slot smallint) returns void language plpgsql volatile as $$
begin
  insert into tracker.campaign_conversions as c (campaign_id, variant, name, currency, count, direct, influenced, users, value)
  select m.campaign_id, m.variant, m.name, m.currency, m.count, m.direct, m.influenced, m.users, m.value
  from json_to_recordset(of_names) as m(
    campaign_id text, variant text, name text, currency text, count int, direct int, influenced int, users int, value numeric)
  on conflict (campaign_id, variant, name, currency) do update set count = c.count + excluded.count, direct = c.direct + excluded.direct,
    influenced = c.influenced + excluded.influenced, users = c.users + excluded.users, value = c.value + excluded.value;
  insert into tracker.curve_steps as s (campaign_id, step, delivered, opened, clicked, dismissed, converted)
  select m.campaign_id, tracker.curve_step(age.seconds), 0, 0, 0, 0, m.converted
  from json_to_recordset(of_campaigns) as m(campaign_id text, converted int)
    cross join lateral (
      select greatest(0, floor(extract(epoch from now() - k.created_at)))::int as seconds from tracker.counters k
      where k.campaign_id = m.campaign_id
        and (not k.transactional or k.fanned_out_at is null or k.queued_ios + k.queued_android + k.queued_web > 1000) offset 0
    ) as age
  on conflict (campaign_id, step) do update set converted = s.converted + excluded.converted;
  insert into tracker.app_hours as h (app_id, hour, platform, slot, converted)
  select m.app_id, date_trunc('hour', now(), 'UTC'), m.platform, in_slot, m.converted
  from json_to_recordset(of_hours) as m(app_id text, platform text, converted int)
  on conflict (app_id, hour, platform, slot) do update set converted = h.converted + excluded.converted;
end
$$;
