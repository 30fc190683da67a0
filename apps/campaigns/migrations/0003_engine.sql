-- A send at each user's local time: the moment at which it was asked for. Each user gets it at the first such time after that moment.
alter table campaigns add column local_times_after timestamptz;

-- The campaign that sends a winner: how large the sample was, which it leaves out.
alter table campaigns add column remainder_rate double precision;

-- The administration pauses, resumes and cancels a send under way. `flow_no` counts these changes. `flow_due_at` is when audience is told of the last one again,
-- and null when audience has answered it. `due_at` cannot be used for this: a send that has started has none.
alter table campaigns add column cancelling boolean not null default false;
alter table campaigns add column flow_no integer not null default 0;
alter table campaigns add column flow_due_at timestamptz;
create index campaigns_flows on campaigns (flow_due_at) where flow_due_at is not null;

-- To the millisecond, as cursors hold it (libs/contracts/src/page.ts).
alter table campaigns alter column created_at type timestamptz(3);
create index campaigns_newest on campaigns (app_id, created_at desc, id desc);

-- Raised when a draft is replaced: a request to send that has read the body before sends nothing of it.
alter table campaigns add column revision integer not null default 0;
