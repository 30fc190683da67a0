-- The hour in which a key was last used; null: not since this column is here. Written in the background, once an hour and process at most.
alter table api_keys add column last_used_at timestamptz;
