-- Announcements that were repeated and are still not confirmed. Such announcements are few, since while webhooks confirms none, only about 200
-- more are repeated every 20 minutes. The sweep counts them with this index to see whether it may repeat others.
create index announcements_repeated on announcements (due_at, pointer_no) where pointer_no > 0;
