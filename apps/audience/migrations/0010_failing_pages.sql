-- How many tries of the next page failed. A page that fails is tried again after longer and longer waits. When it has failed five times, its send
-- fails.
alter table fan_outs add column failures integer not null default 0;
-- Why the last try failed, for operators: an error code of Postgres or of a call, never a value.
alter table fan_outs add column last_failure text;
