-- For an overview: how many of an app's campaigns have each status, which begin next, and which failed lately. Notifications are left out, so that sending one pays
-- nothing for this index.
create index campaigns_by_status on campaigns (app_id, status, due_at, created_at desc) where not transactional;
