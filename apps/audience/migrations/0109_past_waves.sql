-- The former value of `waves`. A settled send is found by `waves` until its claims are deleted; then `waves` becomes null and its value moves here.
-- (This repeats a column of 0102.)
alter table fan_outs add column if not exists past_waves jsonb;
