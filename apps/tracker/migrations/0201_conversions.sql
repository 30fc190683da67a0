-- Conversions: what a user did that a push may have caused, as the app's backend or a device reports it.

-- One row per reported id. Partitioned by the UTC day on which it happened, so that a repeat, which carries the same time, meets the same key. The
-- tracker makes and drops these partitions with those of the ledger (store/partitions.ts).
create table conversions (
  day date not null,
  app_id bytea not null,
  -- SHA-256 of the reported id.
  id_hash bytea not null,
  id text not null,
  user_id bytea not null,
  name text not null,
  at timestamptz not null,
  value numeric,
  currency text,
  -- The push that it is attributed to, decided when the report came; null: none. `how` is d (direct) or i (influenced).
  campaign_id bytea,
  how "char",
  primary key (day, app_id, id_hash)
) partition by range (day);
-- A user's conversions, for the person's page, the export, explain and the erasure.
create index conversions_by_user on conversions (user_id, at);

-- The users who are counted in `campaign_conversions.users`. Partitioned by the day of the campaign, as the ledger is.
create table conversion_users (
  day date not null,
  app_id bytea not null,
  user_id bytea not null,
  campaign_id bytea not null,
  name text not null,
  primary key (day, app_id, user_id, campaign_id, name)
) partition by range (day);

-- Conversions that are attributed to a campaign, by variant (empty outside of an experiment) and name. They live as long as the campaign's counters.
create table campaign_conversions (
  campaign_id text collate "C" not null references counters on delete cascade,
  variant text collate "C" not null,
  name text collate "C" not null,
  -- The row with the empty currency has the numbers, the others have the sum of the values in their currency.
  currency text collate "C" not null,
  count integer not null default 0,
  direct integer not null default 0,
  influenced integer not null default 0,
  users integer not null default 0,
  value numeric not null default 0,
  primary key (campaign_id, variant, name, currency)
) with (fillfactor = 60);

-- The names of an app's conversions, at most 50.
create table conversion_names (
  app_id text collate "C" not null,
  name text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (app_id, name)
);

-- Marks of erased users: a report that names one and is under way when the user is erased counts no more.
create table erased_users (
  user_id bytea primary key,
  at timestamptz not null default now()
);
create index erased_users_at on erased_users (at);

-- True for a silent send: nobody converts because of having seen it. False for sends that began before this column.
alter table counters add column silent boolean not null default false;
-- Attributed conversions, by the platform of their push and the hour in which the report came.
alter table app_hours add column converted integer not null default 0;
alter table app_days add column converted bigint not null default 0;
alter table curve_steps add column converted integer not null default 0;

-- Gives those of these users who are erased, and keeps the others until the transaction ends. All users have 64 locks, so a transaction holds few. The
-- statement after the lock sees every mark that is committed when it begins (read committed).
create function tracker.hold_users(ids bytea[]) returns setof bytea language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('tracker.erased-users', place))
    from (select distinct hashtext(encode(asked.id, 'hex')) & 63 as place from unnest(ids) as asked(id) order by 1) places;
  return query select e.user_id from tracker.erased_users e where e.user_id = any(ids);
end
$$;

-- Waits, after the mark of a user was committed, for the transactions that may not have seen it.
create function tracker.wait_for_users(id bytea) returns void language plpgsql volatile set lock_timeout = '2s' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tracker.erased-users', hashtext(encode(id, 'hex')) & 63));
end
$$;

-- Adds new conversions to the counters of campaigns, the curves of large campaigns and the present hour, each in the order given. A step of a curve is
-- as long as in move_engagements (0200).
create function tracker.move_conversions(of_names json, of_campaigns json, of_hours json, in_slot smallint) returns void language plpgsql volatile as $$
begin
  insert into tracker.campaign_conversions as c (campaign_id, variant, name, currency, count, direct, influenced, users, value)
  select m.campaign_id, m.variant, m.name, m.currency, m.count, m.direct, m.influenced, m.users, m.value
  from json_to_recordset(of_names) as m(
    campaign_id text, variant text, name text, currency text, count int, direct int, influenced int, users int, value numeric)
  on conflict (campaign_id, variant, name, currency) do update set count = c.count + excluded.count, direct = c.direct + excluded.direct,
    influenced = c.influenced + excluded.influenced, users = c.users + excluded.users, value = c.value + excluded.value;
  insert into tracker.curve_steps as s (campaign_id, step, delivered, opened, clicked, dismissed, converted)
  select m.campaign_id, case when age.seconds < 86400 then age.seconds / 600 else least(1999, 144 + (age.seconds - 86400) / 3600) end,
    0, 0, 0, 0, m.converted
  from json_to_recordset(of_campaigns) as m(campaign_id text, converted int)
    cross join lateral (
      select greatest(0, floor(extract(epoch from now() - k.created_at)))::int as seconds from tracker.counters k
      where k.campaign_id = m.campaign_id and (k.fanned_out_at is null or k.queued_ios + k.queued_android + k.queued_web > 1000) offset 0
    ) as age
  on conflict (campaign_id, step) do update set converted = s.converted + excluded.converted;
  insert into tracker.app_hours as h (app_id, hour, platform, slot, converted)
  select m.app_id, date_trunc('hour', now(), 'UTC'), m.platform, in_slot, m.converted
  from json_to_recordset(of_hours) as m(app_id text, platform text, converted int)
  on conflict (app_id, hour, platform, slot) do update set converted = h.converted + excluded.converted;
end
$$;
