-- Who looks for a batch by its id and says that it is not done must not find an index of all that are not done: the planner remembers how many
-- entries that had when it was last vacuumed, none as a rule, and then walks through all of a backlog for each look. So its condition is said in words
-- that only the list of open pushes uses (store/open-pushes.ts).
drop index batches_open;
create index batches_open on batches (app_id, campaign_id, id) where coalesce(done_at, 'infinity') = 'infinity';

-- Held batches of large sends are counted for each page: without those of small sends, of which there may be any number.
create index batches_held_bulk on batches (app_id, platform) where lane = 'bulk' and held_since is not null and done_at is null;
