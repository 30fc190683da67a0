-- A statement that looks for unfinished batches by their ids must not use an index of all unfinished batches. The planner remembers how many entries
-- that index had at the last vacuum, usually none, and would read all of a backlog for each look-up. So the condition of this index is written in a
-- way that only statements use that really read all unfinished batches (store/turns.ts).
drop index batches_open;
create index batches_open on batches (app_id, campaign_id, id) where coalesce(done_at, 'infinity') = 'infinity';

-- Before audience commits a page of a large send, it counts by this index the app's held batches of large sends. Held batches of small sends are not
-- in the index, because there may be any number of them.
create index batches_held_bulk on batches (app_id, platform) where lane = 'bulk' and held_since is not null and done_at is null;
