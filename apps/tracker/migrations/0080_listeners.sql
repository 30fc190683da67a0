-- The types of events that the webhook endpoints of an app ask for. Webhooks tells the tracker before it answers that an endpoint exists. For an app
-- without a row no event is announced. When two such messages arrive in the wrong order, the one with the higher version counts.
create table listeners (
  app_id text collate "C" primary key,
  version bigint not null,
  event_types text[] not null
);
create trigger leave_out_erased before insert on listeners for each row execute function tracker.leave_out_erased();

-- Gives the event types that endpoints of these apps ask for. A transaction that makes events holds a shared lock from this call until it ends. The
-- process that changes a row of `listeners` commits the change first. Then it takes the lock exclusively once, and so waits for every transaction
-- that may have read the old row. So every event that is committed after webhooks was answered takes the change into account. A statement in a
-- volatile function sees everything that is committed when the statement begins (read committed), here after the lock. All apps share 64 locks, so a
-- transaction about many apps holds few.
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

-- Waits for the transactions that may have read old rows of `listeners`. Other transactions queue behind each lock that this function waits for, so
-- the wait for a lock ends with an error after 2 s.
create function tracker.wait_for_events_of(app_ids text[]) returns void language plpgsql volatile set lock_timeout = '2s' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tracker.listeners', place))
    from (select distinct hashtext(asked.id) & 63 as place from unnest(app_ids) as asked(id) order by 1) places;
end
$$;
