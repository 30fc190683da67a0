-- A draft that names a saved segment has no target until it is sent: then the segment's definition is copied. The target is null until then, because
-- null reaches no device, while a placeholder could reach every device.
alter table campaigns alter column target drop not null;

-- When a recurrence was sent. A weekly recurrence that names no weekday runs on the weekday of this moment.
alter table campaigns add column activated_at timestamptz;
-- The day of a recurrence's run, in the schedule's time zone. A recurrence has at most one run per local date, however clocks change and whichever
-- process makes the run.
alter table campaigns add column local_date date;
create unique index campaigns_runs on campaigns (recurring_of, local_date) where recurring_of is not null;
-- How many occurrences of a recurrence were left out because no process made their run in time.
alter table campaigns add column missed_count integer not null default 0;

-- An experiment has at most one winner.
create unique index campaigns_winners on campaigns (remainder_of) where remainder_of is not null;

-- Until 0030_bounded_reads.sql drops this index, every read of a template counts through it how often the template was used. The count is not a
-- column of the template, because a column that every send increments made accepting 2.3 times slower. The index is partial, so that a send without a
-- template pays nothing for it.
create index campaigns_by_template on campaigns (template_id) where template_id is not null;

-- Cursors of lists hold milliseconds (libs/contracts/src/page.ts), so these columns hold milliseconds too.
alter table templates alter column created_at type timestamptz(3), alter column updated_at type timestamptz(3);
create index templates_newest on templates (app_id, created_at desc, id desc);
