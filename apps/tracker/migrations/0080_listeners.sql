-- The types of events of an app that an endpoint listens to, as webhooks says before it answers that the endpoint is there. An app without a row has no
-- listener, and nothing is announced for it. When two such messages overtake each other the one with the higher version counts.
create table listeners (
  app_id text collate "C" primary key,
  version bigint not null,
  event_types text[] not null
);
create trigger leave_out_erased before insert on listeners for each row execute function tracker.leave_out_erased();

-- A transaction that makes events reads the listeners under a lock that it shares with all others of its kind, until it ends. The process that writes a listener
-- commits it first, and then takes the lock alone once, which waits for every transaction that had read before. So each event that is committed after webhooks
-- was answered has seen the listener. A statement of a volatile function sees what is committed when it begins (read committed), here after the lock. There are
-- 64 locks for all apps, so that a transaction of many apps holds few.
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

-- The next that wants the lock waits behind this one, so it is given up after a while.
create function tracker.wait_for_events_of(app_ids text[]) returns void language plpgsql volatile set lock_timeout = '2s' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tracker.listeners', place))
    from (select distinct hashtext(asked.id) & 63 as place from unnest(app_ids) as asked(id) order by 1) places;
end
$$;
