-- The plan of a send's waves with what each has queued, when its claims have been dropped and `waves` is emptied with them: what that is found by stays
-- as it is.
alter table fan_outs add column if not exists past_waves jsonb;
