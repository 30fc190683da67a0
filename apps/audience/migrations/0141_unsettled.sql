-- Sends of which everybody was told and that are not settled yet. A send to few devices is mostly settled before that is written, and is never in here.
create index fan_outs_unsettled on fan_outs (campaign_id) where due_at is null and settled_at is null;
