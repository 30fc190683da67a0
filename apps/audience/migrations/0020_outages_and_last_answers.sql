-- Why the pushes of a batch are tried again: Herald's code and the provider's own code (at most 200 characters, never a token). Operators see both.
alter table batches add column last_code text;
alter table batches add column last_provider_code text;

-- One of an app's held batches is pointed at again in time for the next probe: the first entry of this index. Held batches are released in the order
-- of this index.
drop index batches_held;
create index batches_held on batches (app_id, platform, due_at) where held_since is not null and done_at is null;

-- The list of the open pushes of an app, or of one campaign, newest campaign first, reads the batches of a page from this index, however many an app
-- has.
create index batches_open on batches (app_id, campaign_id, id) where done_at is null;

-- The answers of circuits have two more letters: u the provider is unavailable, a any other answer.
