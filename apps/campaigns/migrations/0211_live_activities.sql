-- What a send tells a Live Activity. Null in every other row, where it takes no space.
alter table campaigns add column activity jsonb;

-- The timestamp of the last accepted send of each activity, in Unix seconds. The next one is higher, also within the same second.
create table activities (
  app_id text collate "C" not null,
  activity_id text collate "C" not null,
  last_at bigint not null,
  primary key (app_id, activity_id)
) with (fillfactor = 50);
create index activities_by_last on activities (last_at);
create trigger leave_out_erased before insert on activities for each row execute function campaigns.leave_out_erased();
