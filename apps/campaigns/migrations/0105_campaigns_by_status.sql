-- For the overview of an app: how many campaigns have each status, which begin next, which are paused, and which failed lately. Notifications are not
-- in the index, so sending a notification pays nothing for it.
create index campaigns_by_status on campaigns (app_id, status, due_at, created_at desc) where not transactional;
