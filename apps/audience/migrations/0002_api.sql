-- The whole public API: segments, erasure, counting.

-- Word for word: jsonb would put the keys in another order and write 1e21 out in digits.
alter table segments alter column definition type json;

-- For finding by the beginning of a name in any letter case; written by the app, which knows more letters than lower() of a C locale.
alter table segments add column folded_name text;
update segments set folded_name = lower(name);
alter table segments alter column folded_name set not null;

-- To the millisecond, so that a list's cursor names its row exactly.
alter table segments alter column created_at type timestamptz(3), alter column updated_at type timestamptz(3);
create index segments_newest_first on segments (app_id, created_at desc, id desc);

-- Users that were erased here, to be told to webhooks until it has answered. Ids only: they name nobody any more.
create table erasures (
  user_id text collate "C" primary key,
  app_id text collate "C" not null,
  due_at timestamptz not null default now(),
  tries integer not null default 0
);

create index erasures_due on erasures (due_at);
