-- The moment at which a send at each user's local time was asked for. Each user gets it when that local time next comes after this moment.
alter table campaigns add column local_times_after timestamptz;

-- In a campaign that sends the winner of an experiment: the share of users in the experiment's sample, who do not get the winner.
alter table campaigns add column remainder_rate double precision;

-- The administration pauses, resumes and cancels a send under way. `flow_no` counts these changes. `flow_due_at` is when audience is told of the last
-- change again, and null when no answer of audience is awaited. `due_at` cannot be used instead, since it is null in a send that has started.
alter table campaigns add column cancelling boolean not null default false;
alter table campaigns add column flow_no integer not null default 0;
alter table campaigns add column flow_due_at timestamptz;
create index campaigns_flows on campaigns (flow_due_at) where flow_due_at is not null;

-- Cursors of lists hold milliseconds (libs/contracts/src/page.ts), so this column holds milliseconds too.
alter table campaigns alter column created_at type timestamptz(3);
create index campaigns_newest on campaigns (app_id, created_at desc, id desc);

-- How often the draft was replaced. A request to send that has read an older body finds another number here and sends nothing.
alter table campaigns add column revision integer not null default 0;
