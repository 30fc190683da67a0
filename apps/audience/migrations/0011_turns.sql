-- What is due is taken by turns of apps, so every index of it begins with the app. A small send's batch that nobody has taken yet is apart
-- from the rest: of an app and platform only so many are pointed at at once.
create index batches_on_lane on batches (app_id, platform, due_at)
  where lane = 'prompt' and takes = 0 and not_before is null and done_at is null;
create index batches_due_again on batches (app_id, due_at)
  where done_at is null and (lane = 'bulk' or takes > 0 or not_before is not null);
drop index batches_due;
create index fan_outs_due_by_app on fan_outs (app_id, due_at) where due_at is not null;
drop index fan_outs_due;
