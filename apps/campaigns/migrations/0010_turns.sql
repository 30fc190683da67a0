-- The sends of an app that audience has not started. When `due_at` lies ahead, audience was told of the send, and the sweep tells it again at that
-- time. When `due_at` has come, the send waits for the sweep, for example because audience was told of 64 other sends of the app and has started none
-- of them. The sweep takes due sends of all apps in turn, so the many sends of one app delay another app's send only by a few sends.
create index campaigns_to_point_at on campaigns (app_id, due_at) where status = 'sending' and due_at is not null;
