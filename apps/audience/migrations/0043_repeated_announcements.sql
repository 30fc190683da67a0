-- Announcements that were repeated and are not confirmed yet. The sweep counts in this index those of them that were repeated at most eight times, to
-- know whether it may repeat others for the first time (store/announcements.ts).
create index announcements_repeated on announcements (due_at, pointer_no) where pointer_no > 0;
