-- The inbox: the ledger's rows of sends that are marked here are its items. The tables below keep what people did with them.

-- True for a send that people find in their inbox. False for sends that began before this column.
alter table counters add column inbox boolean not null default false;

-- Items that a person has marked one by one, or hidden.
create table inbox_reads (
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  campaign_id text collate "C" not null,
  -- Null: unread, whatever inbox_marks says.
  read_at timestamptz(3),
  hidden boolean not null default false,
  at timestamptz(3) not null default now(),
  primary key (app_id, user_id, campaign_id)
);
create index inbox_reads_at on inbox_reads (at);

-- People who marked everything as read: items that were sent up to `read_until` are read.
create table inbox_marks (
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  read_until timestamptz(3) not null,
  primary key (app_id, user_id)
);
create index inbox_marks_until on inbox_marks (read_until);
