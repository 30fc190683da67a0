-- How many of an app's campaigns have each status, which of them begin next, and which failed lately. Of what people made: the send of a notification pays nothing for this index.
create index campaigns_by_status on campaigns (app_id, status, due_at, created_at desc) where not transactional;
