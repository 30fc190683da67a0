-- Imports of files with devices (docs/decisions/0046). `next_offset` says how many bytes of the file have been taken. The transaction that writes a
-- lot (group of rows) also changes it, so that both happen or neither.
create table imports (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  state text not null default 'receiving' check (state in ('receiving', 'finished', 'cancelled')),
  format text not null,
  dry_run boolean not null,
  on_existing text not null check (on_existing in ('keep', 'update')),
  web text not null check (web in ('skip', 'import')),
  columns jsonb,
  max_rows_per_second integer,
  -- The names of a CSV file's columns. Null until they have been read, and for JSON lines.
  header jsonb,
  -- The bytes after next_offset that are not a complete row yet. They may contain a device's address, so they are deleted with the next lot or at the
  -- end.
  tail bytea,
  next_offset bigint not null default 0,
  row_count bigint not null default 0,
  created_count bigint not null default 0,
  updated_count bigint not null default 0,
  kept_count bigint not null default 0,
  rejected_count bigint not null default 0,
  opted_out_count bigint not null default 0,
  error_count integer not null default 0,
  by_code jsonb not null default '{}',
  by_platform jsonb not null default '{"ios": 0, "android": 0, "web": 0}',
  warnings jsonb not null default '{}',
  -- Whether import_dry_rows may still hold rows of this import. Always false for an import that is no dry run.
  has_dry_rows boolean not null,
  -- The time is kept to the millisecond, so that the cursor of a list names its row exactly.
  created_at timestamptz(3) not null default now(),
  first_data_at timestamptz,
  last_data_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index imports_receiving on imports (app_id) where state = 'receiving';
create index imports_newest_first on imports (app_id, created_at desc, id desc);
create index imports_left_alone on imports (last_data_at) where state = 'receiving';
create index imports_ended on imports (ended_at) where ended_at is not null;
create index imports_to_clear on imports (id) where has_dry_rows;
create trigger leave_out_erased before insert on imports for each row execute function audience.leave_out_erased();

-- The first 10,000 rejected rows of an import, without skipped browsers: where and why, but no value of the row.
create table import_errors (
  import_id text collate "C" not null references imports (id) on delete cascade,
  "row" bigint not null,
  "column" text,
  code text not null,
  message text not null,
  primary key (import_id, "row")
);

-- The devices and users that a dry run would have written, by hashes, so that later rows of the file find them (src/people/store/import-dry.ts).
create table import_dry_rows (
  import_id text collate "C" not null references imports (id) on delete cascade,
  key text collate "C" not null,
  state jsonb not null,
  primary key (import_id, key)
);
