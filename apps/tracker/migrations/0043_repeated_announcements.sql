-- Announcements that were repeated and are still not confirmed are few: no more are repeated until webhooks confirms some. Whether there is room
-- for others is counted here.
create index announcements_repeated on announcements (due_at, pointer_no) where pointer_no > 0;
