-- Housekeeping that one process at a time does, by name, and when the next process may begin. While one works, that is the time after which it is dead.
create table housework (
  name text primary key,
  next_at timestamptz not null
);
