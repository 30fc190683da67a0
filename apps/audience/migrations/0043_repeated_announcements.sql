-- Announcements that were repeated and are not confirmed yet. The sweep counts by this index how many of them were repeated at most eight times.
-- While these are 200, the sweep repeats no other announcement for the first time (store/announcements.ts).
create index announcements_repeated on announcements (due_at, pointer_no) where pointer_no > 0;
