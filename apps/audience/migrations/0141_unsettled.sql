-- Sends that are not settled although campaigns and the tracker know all that they queued (`due_at` is null). A send to few devices is mostly settled
-- before its row says so, and then never in here.
create index fan_outs_unsettled on fan_outs (campaign_id) where due_at is null and settled_at is null;
