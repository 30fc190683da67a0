-- The number on the icon of a device, for sends that raise it (`presentation.badgeIncrement`): APNs takes absolute numbers only. A session of the
-- device sets it to 0. Devices that no such send has reached have no row.
create table badges (
  app_id text collate "C" not null,
  subscription_id text collate "C" not null,
  badge integer not null,
  primary key (app_id, subscription_id)
) with (fillfactor = 70);

-- In a batch of such a send: the badge of each push, by its place in the batch in which it was first queued. Batches of retries keep it. Null in every
-- other row, where it takes no space.
alter table batches add column badges integer[];
