-- The sends of an app that audience has not started. When `due_at` lies ahead, audience was told of the send, and the sweep tells it again at that
-- time. A send that is due waits for the sweep, for example because the app had 64 such sends already. The sweep takes due sends of all apps in turn,
-- so an app with many sends delays another app's send only by a few.
create index campaigns_to_point_at on campaigns (app_id, due_at) where status = 'sending' and due_at is not null;
