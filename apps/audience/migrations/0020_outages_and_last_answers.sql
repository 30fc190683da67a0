-- Why the pushes of a retry come back: our code and the provider's own word (200 characters at most, never a token). An operator sees both.
alter table batches add column last_code text;
alter table batches add column last_provider_code text;

-- One of an app's held batches looks again in time for the next probe. Which it is, is one look at the first of this index; what is held is
-- released in this order.
drop index batches_held;
create index batches_held on batches (app_id, platform, due_at) where held_since is not null and done_at is null;

-- The pushes of an app that are under way, or of one of its campaigns, newest campaign first: a list reads as many batches as it shows.
create index batches_open on batches (app_id, campaign_id, id) where done_at is null;

-- The circuits' letters are more: u the provider is unavailable, a another answer.
