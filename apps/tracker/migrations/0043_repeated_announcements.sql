-- Announcements that were repeated and are still not confirmed. They are few: even while webhooks confirms none, the sweep begins to repeat only
-- about 200 further announcements every 20 minutes. The sweep counts them with this index to see whether it may repeat others.
create index announcements_repeated on announcements (due_at, pointer_no) where pointer_no > 0;
