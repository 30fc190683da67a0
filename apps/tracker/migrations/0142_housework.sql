-- When the next piece of each housekeeping may begin. While one is under way, this is when another process may take it for lost.
create table housework (
  name text primary key,
  next_at timestamptz not null
);
