-- Columns by which the public API saves and lists segments, and a table for the erasure of users.

-- The type json keeps a definition word for word: jsonb would put the keys in another order and write 1e21 out in digits.
alter table segments alter column definition type json;

-- In this column segments are found by the beginning of their name in any letter case. Audience writes it, because lower() in a C locale knows only a
-- to z.
alter table segments add column folded_name text;
update segments set folded_name = lower(name);
alter table segments alter column folded_name set not null;

-- Times are kept to the millisecond, so that the cursor of a list names its row exactly.
alter table segments alter column created_at type timestamptz(3), alter column updated_at type timestamptz(3);
create index segments_newest_first on segments (app_id, created_at desc, id desc);

-- Erased users of whom webhooks must still be told. The table has only ids, which name nobody any more.
create table erasures (
  user_id text collate "C" primary key,
  app_id text collate "C" not null,
  due_at timestamptz not null default now(),
  tries integer not null default 0
);

create index erasures_due on erasures (due_at);
