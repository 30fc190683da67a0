-- The hour in which the key was last used; null when the key has not been used since this column exists. Each gateway writes it in the background, at
-- most once an hour for each key.
alter table api_keys add column last_used_at timestamptz;
