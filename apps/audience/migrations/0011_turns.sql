-- The apps take turns when the sweep takes due rows, so these indexes begin with the app. Batches of small sends that no dispatcher has taken yet have
-- an index of their own, because for each app and platform only a limited number of these batches get a pointer.
create index batches_on_lane on batches (app_id, platform, due_at)
  where lane = 'prompt' and takes = 0 and not_before is null and done_at is null;
create index batches_due_again on batches (app_id, due_at)
  where done_at is null and (lane = 'bulk' or takes > 0 or not_before is not null);
drop index batches_due;
create index fan_outs_due_by_app on fan_outs (app_id, due_at) where due_at is not null;
drop index fan_outs_due;
