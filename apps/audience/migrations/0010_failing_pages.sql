-- A page that fails for reasons of its own comes back as a row, later each time, and ends its send after a few tries.
alter table fan_outs add column failures integer not null default 0;
-- What it failed of, for who looks: a code of Postgres or of a call, never a value.
alter table fan_outs add column last_failure text;
