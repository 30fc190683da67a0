-- To which types of events of an app somebody listens, as webhooks tells it before it answers that an endpoint is there. An app without a row
-- has no listener, and nothing is announced for it. Of two tellings that overtook each other the one with the higher version counts.
create table listeners (
  app_id text collate "C" primary key,
  version bigint not null,
  event_types text[] not null
);
create trigger leave_out_erased before insert on listeners for each row execute function audience.leave_out_erased();

-- Who makes events reads the listeners under a lock that it shares with all others who do, until its transaction ends. Who writes down a
-- listener commits that first, then takes the lock alone once: whoever had read before it is waited for. So each event that is committed after
-- webhooks was answered has seen the listener. A statement of a volatile function sees what is committed when it begins (read committed),
-- here after the lock. 64 locks for all apps, so that a transaction of many apps holds few.
create function audience.listeners_of(app_ids text[]) returns table (app_id text, event_types text[]) language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('audience.listeners', place))
    from (select distinct hashtext(asked.id) & 63 as place from unnest(app_ids) as asked(id) order by 1) places;
  return query
    select l.app_id, l.event_types from unnest(app_ids) as asked(id)
      cross join lateral (select * from audience.listeners where listeners.app_id = asked.id offset 0) l
    where cardinality(l.event_types) > 0;
end
$$;

-- Whoever wants the lock next waits behind it, so it is given up after a while.
create function audience.wait_for_events_of(app_ids text[]) returns void language plpgsql volatile set lock_timeout = '2s' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('audience.listeners', place))
    from (select distinct hashtext(asked.id) & 63 as place from unnest(app_ids) as asked(id) order by 1) places;
end
$$;
