-- Announcements that were repeated and are still not confirmed are few: no more are repeated until webhooks confirms some. This index counts whether there is
-- room for others.
create index announcements_repeated on announcements (due_at, pointer_no) where pointer_no > 0;
