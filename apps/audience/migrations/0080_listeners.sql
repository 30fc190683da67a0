-- For which types of events an app has webhook endpoints. Webhooks tells audience before it answers that an endpoint exists. For an app without a row
-- no event is announced. When two calls of webhooks arrive in the wrong order, the one with the higher version counts.
create table listeners (
  app_id text collate "C" primary key,
  version bigint not null,
  event_types text[] not null
);
create trigger leave_out_erased before insert on listeners for each row execute function audience.leave_out_erased();

-- A transaction that makes events reads the listeners under a lock that all such transactions share until they end. A transaction that changes
-- listeners commits them first, and then audience takes the lock exclusively once, which waits for all transactions that have read before. So each
-- event that is committed after webhooks was answered has seen the new listeners. A statement of a volatile function sees what is committed when the
-- statement begins (read committed), here after the lock. There are 64 locks for all apps, so that a transaction about many apps holds few.
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

-- This function waits for the lock for at most 2 s, because all later requests for the lock wait behind this one.
create function audience.wait_for_events_of(app_ids text[]) returns void language plpgsql volatile set lock_timeout = '2s' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('audience.listeners', place))
    from (select distinct hashtext(asked.id) & 63 as place from unnest(app_ids) as asked(id) order by 1) places;
end
$$;
