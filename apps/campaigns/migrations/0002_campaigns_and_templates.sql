-- A draft that names a saved segment has no target before it is sent: the definition is copied at that moment. Null reaches no device, while a stand-in could
-- reach every one.
alter table campaigns alter column target drop not null;

-- When a recurrence was switched on: the weekday of a weekly one that names none.
alter table campaigns add column activated_at timestamptz;
-- The day of a recurring run in the schedule's zone: one run per local date, whatever the clocks do and whoever makes it.
alter table campaigns add column local_date date;
create unique index campaigns_runs on campaigns (recurring_of, local_date) where recurring_of is not null;
-- Occurrences of a recurrence that were left out because no process made their run in time.
alter table campaigns add column missed_count integer not null default 0;

-- An experiment has one winner at most.
create unique index campaigns_winners on campaigns (remainder_of) where remainder_of is not null;

-- A template's use count is counted here, never incremented: a hot column in the accept transaction made it 2.3 times slower.
-- Partial, so that a send without a template pays nothing for it.
create index campaigns_by_template on campaigns (template_id) where template_id is not null;

-- To the millisecond, as cursors hold it (libs/contracts/src/page.ts).
alter table templates alter column created_at type timestamptz(3), alter column updated_at type timestamptz(3);
create index templates_newest on templates (app_id, created_at desc, id desc);
