-- Announcements that were repeated and are not confirmed yet. There are few, because no others are repeated until webhooks confirms some. The sweep
-- counts them in this index to know whether it may repeat others.
create index announcements_repeated on announcements (due_at, pointer_no) where pointer_no > 0;
