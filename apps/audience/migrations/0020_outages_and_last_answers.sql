-- Why the pushes of a batch are tried again: Herald's code and the provider's own code (at most 200 characters, never a token). Operators see both.
alter table batches add column last_code text;
alter table batches add column last_provider_code text;

-- The first entry of this index for an app and platform is the held batch at which the sweep points in time for the next probe. Held batches are
-- released in the order of this index.
drop index batches_held;
create index batches_held on batches (app_id, platform, due_at) where held_since is not null and done_at is null;

-- The list of the pushes that have no outcome yet, of an app or of one campaign, begins with the newest campaign. A page of the list reads its
-- batches from this index, so that it costs no more when the app has many batches.
create index batches_open on batches (app_id, campaign_id, id) where done_at is null;

-- The answers of circuits have two more letters: u the provider is unavailable, a any other answer.
