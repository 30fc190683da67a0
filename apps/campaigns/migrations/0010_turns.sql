-- The sends of an app for which audience has no fan-out row yet. When `due_at` lies ahead, audience was told of the send and gets a pointer at that
-- time. When the send is due, it waits because the app has 64 such sends already. The sweep takes due sends of all apps in turn, so an app with many
-- sends delays another app's send only by a few.
create index campaigns_to_point_at on campaigns (app_id, due_at) where status = 'sending' and due_at is not null;
