-- Ids are compared byte by byte (collate "C"). Times that order a list are kept to the millisecond, like the cursors of lists
-- (libs/contracts/src/page.ts).

-- Campaigns ---------------------------------------------------------------------------------------------------------------

-- A notification is a campaign that is due now. Herald answers 202 once the row is committed.
create table campaigns (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  name text not null,
  status text not null,
  transactional boolean not null,
  -- Null in a draft that names a saved segment, whose definition is copied when the draft is sent. Null reaches no device, while a placeholder could
  -- reach every device.
  target jsonb,
  content jsonb,
  template_id text collate "C",
  silent boolean not null,
  data jsonb not null,
  ttl integer not null,
  collapse_id text,
  priority text not null,
  presentation jsonb,
  bypass jsonb not null,
  schedule jsonb,
  segment_id text collate "C",
  experiment jsonb,
  recurring_of text collate "C",
  remainder_of text collate "C",
  -- In a campaign that sends the winner of an experiment: the variant that it sends, and the operator who picked it.
  remainder_variant text,
  remainder_by text,
  failure jsonb,
  -- When the sweep tells audience of the send, or tells it again. Null once audience has a fan-out row of the campaign.
  due_at timestamptz,
  pointer_no integer not null default 0,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz,
  settled_at timestamptz,
  -- When a recurrence was sent. A weekly recurrence that names no weekday runs on the weekday of this moment.
  activated_at timestamptz,
  -- The day of a recurrence's run, in the schedule's time zone.
  local_date date,
  -- How many occurrences of a recurrence were left out because no process made their run in time.
  missed_count integer not null default 0,
  -- The moment at which a send at each user's local time was asked for. Each user gets it when that local time next comes after this moment.
  local_times_after timestamptz,
  -- In a campaign that sends the winner of an experiment: the share of users in the experiment's sample, who do not get the winner.
  remainder_rate double precision,
  cancelling boolean not null default false,
  -- Counts how often the send was paused, resumed or cancelled.
  flow_no integer not null default 0,
  -- When audience is told of the last of these changes again. Null when no answer of audience is awaited. `due_at` is null in a send that has
  -- started, so it cannot be used instead.
  flow_due_at timestamptz,
  -- How often the draft was replaced. A request to send that has read an older body finds another number here and sends nothing.
  revision integer not null default 0,
  -- Since when a campaign is paused; null while it is not paused. A pause ends after PAUSE_MAX_DAYS.
  paused_at timestamptz,
  -- True in a test: a notification to single devices that is counted in no series. Null in every other row, where it takes no space.
  test boolean,
  -- Fields that a send adds to what each provider gets of it. Null in nearly every row, where it takes no space.
  overrides jsonb,
  -- How often a send could not be begun by its own fault. Null in nearly every row, where it takes no space.
  failed_starts integer
) with (fillfactor = 80);
-- Only the rows that wait for the sweep. Campaigns need no index by age: an id begins with the second in which it was made, so the deletion of old
-- rows reads the primary key.
create index campaigns_due on campaigns (due_at) where due_at is not null;
-- The sends of an app that audience has not started. The sweep takes due sends of all apps in turn, so the many sends of one app delay another app's
-- send only by a few sends.
create index campaigns_to_point_at on campaigns (app_id, due_at) where status = 'sending' and due_at is not null;
-- Scheduled campaigns and recurrences whose time has come. Sends under way, of which thousands may wait for audience, are not in the index.
create index campaigns_planned on campaigns (status, due_at) where status in ('scheduled', 'active');
create index campaigns_flows on campaigns (flow_due_at) where flow_due_at is not null;
create index campaigns_paused on campaigns (paused_at) where paused_at is not null;
-- A recurrence has at most one run per local date, however clocks change and whichever process makes the run.
create unique index campaigns_runs on campaigns (recurring_of, local_date) where recurring_of is not null;
-- An experiment has at most one winner.
create unique index campaigns_winners on campaigns (remainder_of) where remainder_of is not null;
create index campaigns_newest on campaigns (app_id, created_at desc, id desc);
-- Campaigns that are not notifications, found without reading a million notifications. A notification is never in the index and pays nothing for it.
create index campaigns_by_people on campaigns (app_id, created_at desc, id desc) where not transactional;
-- Tests, found without reading a million notifications.
create index campaigns_tests on campaigns (app_id, created_at desc, id desc) where test;
-- For the overview of an app: how many campaigns have each status, which begin next, which are paused, and which failed lately.
create index campaigns_by_status on campaigns (app_id, status, due_at, created_at desc) where not transactional;

-- A record commits together with its campaign, so a crash leaves neither a key that stays locked nor a second campaign.
create table idempotency_keys (
  app_id text collate "C" not null,
  key text not null,
  fingerprint text not null,
  campaign_id text collate "C" not null,
  answer jsonb not null,
  created_at timestamptz not null default now(),
  primary key (app_id, key)
);
-- For the deletion of records after IDEMPOTENCY_RETENTION_HOURS. Rows are inserted in the order of `created_at`, so the index only grows at its end.
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Templates ---------------------------------------------------------------------------------------------------------------

create table templates (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  name text not null,
  description text,
  content jsonb not null,
  data jsonb,
  presentation jsonb,
  ttl integer,
  collapse_id text,
  priority text,
  silent boolean,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- How often the template was used, without the rows of `template_uses`.
  use_count bigint not null default 0,
  overrides jsonb,
  unique (app_id, name)
);
create index templates_newest on templates (app_id, created_at desc, id desc);

-- Uses of templates that are not in `use_count` yet. A sweep adds them up about once a second and deletes the rows in the same transaction, so count
-- plus rows is exact at any moment.

-- A send adds a row and never waits for a lock: a column that every send increments made accepting 2.3 times slower.
create table template_uses (
  id bigint generated always as identity primary key,
  template_id text collate "C" not null,
  uses integer not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
create index template_uses_of_template on template_uses (template_id);

-- The whole service -------------------------------------------------------------------------------------------------------

-- Marks of deleted apps. A request for such an app that is still being accepted writes no row.
create table erased_apps (
  app_id text collate "C" primary key,
  at timestamptz not null default now()
);

-- Housekeeping that one process at a time does, by name.
create table housework (
  name text primary key,
  -- When the next process may begin. While one works, the time after which it is dead.
  next_at timestamptz not null
);

-- Functions and triggers --------------------------------------------------------------------------------------------------

-- Adds a row when a campaign with a template is inserted or deleted, and rows for both templates when a campaign changes its template.
create function campaigns.note_template_use() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.template_id is not null then
    insert into campaigns.template_uses (template_id, uses) values (old.template_id, -1);
  end if;
  if tg_op <> 'DELETE' and new.template_id is not null then
    insert into campaigns.template_uses (template_id, uses) values (new.template_id, 1);
  end if;
  return null;
end
$$;
create trigger note_use_of_new after insert on campaigns for each row when (new.template_id is not null)
  execute function campaigns.note_template_use();
create trigger note_use_of_deleted after delete on campaigns for each row when (old.template_id is not null)
  execute function campaigns.note_template_use();
create trigger note_use_of_changed after update of template_id on campaigns for each row
  when (old.template_id is distinct from new.template_id) execute function campaigns.note_template_use();

-- Leaves out new rows of a marked app, whenever the transaction began. It raises no error, so that the other rows of the statement are written. A
-- check here costs microseconds and no round trip.

-- The erasure commits the mark and then locks the app once, exclusively (libs/service/src/erased-apps.ts). A transaction that writes a row of the app
-- shares this lock until it ends. The erasure waits for it, and then deletes its rows.

-- While the erasure waits for the lock or has it, a transaction does not get it and leaves its row out. Afterwards it finds the mark: a statement of
-- a volatile function sees what is committed then (read committed).

-- Names have their schema, since a role with another search path may insert too.
create function campaigns.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('campaigns.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from campaigns.erased_apps where app_id = new.app_id) then return null; end if;
  return new;
end
$$;

-- Idempotency records need no such trigger: a record is written only together with its campaign.
create trigger leave_out_erased before insert on campaigns for each row execute function campaigns.leave_out_erased();
create trigger leave_out_erased before insert on templates for each row execute function campaigns.leave_out_erased();
