-- A send at each user's local time: the moment it was asked for. Every user's time is looked for after it.
alter table campaigns add column local_times_after timestamptz;

-- A winner's follow-up: how large the sample was that it leaves out.
alter table campaigns add column remainder_rate double precision;

-- Administration pauses, resumes and cancels a send under way. `flow_no` counts the changes; `flow_due_at` is when audience is told of the
-- last one again, null from the moment it has answered. Apart from `due_at`: a send that has started has none.
alter table campaigns add column cancelling boolean not null default false;
alter table campaigns add column flow_no integer not null default 0;
alter table campaigns add column flow_due_at timestamptz;
create index campaigns_flows on campaigns (flow_due_at) where flow_due_at is not null;

-- To the millisecond, as cursors tell them (libs/contracts/src/page.ts).
alter table campaigns alter column created_at type timestamptz(3);
create index campaigns_newest on campaigns (app_id, created_at desc, id desc);

-- Raised when a draft is replaced: a send that has read the one before sends nothing of it.
alter table campaigns add column revision integer not null default 0;
