-- Ids are compared byte by byte (collate "C"). This is faster than the order of a language, and `id > cursor` means the same in every database.

-- Users -------------------------------------------------------------------------------------------------------------------

-- The fillfactor leaves free space in the database pages, because every start of a mobile app changes last_active_at. While no indexed column
-- changes, such an update stays in its page and writes to no index (HOT).
create table users (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  external_id text collate "C",
  tags jsonb not null default '{}',
  language text,
  timezone text,
  country text,
  created_at timestamptz not null default now(),
  last_active_at timestamptz not null default now(),
  -- Whether a request with a secret key or an import ever made or changed the user.
  by_backend boolean not null default false,
  -- When tags, language, timezone or country last changed.
  changed_at timestamptz
) with (fillfactor = 85);
-- One key, because with two columns the planner could take another index that begins with the app and read all rows of the app. The id of an app
-- always has 24 characters, so keys are unique.
create unique index users_by_external_id on users ((app_id || ' ' || external_id)) where external_id is not null;
-- Lists read this index from the newest user on, exports from the oldest on.
create index users_by_app on users (app_id, id);
-- Finds the time zones of an app's users with one look-up for each zone, and all users of a deleted app.
create index users_by_timezone on users (app_id, timezone);

-- Candidates for deletion: identified users whom their last device has left, who have no tags, language, timezone or country, and for whom
-- `by_backend` is false. Anybody with a public key can make such users by the thousand.
create table abandoned_users (
  user_id text collate "C" primary key references users (id) on delete cascade,
  -- The user is deleted then, unless one of these conditions does not hold any more.
  due_at timestamptz not null default now() + interval '30 days'
);
create index abandoned_users_due on abandoned_users (due_at);

-- Erased users of whom webhooks must still be told. The table has only ids, which name nobody any more.
create table erasures (
  user_id text collate "C" primary key,
  app_id text collate "C" not null,
  due_at timestamptz not null default now(),
  tries integer not null default 0
);
create index erasures_due on erasures (due_at);

-- Devices -----------------------------------------------------------------------------------------------------------------

create table subscriptions (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  user_id text collate "C" not null references users (id),
  platform text not null check (platform in ('ios', 'android', 'web')),
  address text not null,
  -- SHA-256 of the app, the kind (token or endpoint) and the address. The index is on this hash, because a token may have 4,096 characters and an
  -- index entry at most 2,704 bytes.
  address_hash bytea not null,
  p256dh text,
  auth text,
  token_version integer not null default 1,
  apns_environment text check (apns_environment in ('production', 'sandbox')),
  registered_at timestamptz not null default now(),
  opted_in boolean not null default true,
  app_version text,
  sdk_version text,
  os_version text,
  device_model text,
  browser text,
  standalone boolean,
  session_count integer not null default 1,
  last_session_at timestamptz default now(),
  created_at timestamptz not null default now(),
  last_active_at timestamptz not null default now(),
  invalidated_at timestamptz,
  -- Since when the device is opted out. It means something only while `opted_in` is false, so a registration need not clear it.
  opted_out_at timestamptz,
  -- The code of the answer by which the device was invalidated, and the campaign whose push got that answer. They mean something only while
  -- `invalidated_at` is set.
  invalidated_code text,
  invalidated_campaign_id text collate "C",
  -- When a PATCH request of the device last named its app version, system version or model, or an import last updated the device. Registrations and
  -- sessions do not count.
  told_at timestamptz,
  -- The campaigns in which the provider refused the device although it accepted others. Emptied when the device has a new token.
  refused_in text[]
) with (fillfactor = 80);
-- The hash contains the app: with the app as a column of its own the planner could take another index that begins with the app.
create unique index subscriptions_by_address on subscriptions (address_hash);
-- A page of a fan-out reads the next 5,000 devices of an app after a cursor from this index.
create index subscriptions_by_app on subscriptions (app_id, id);
create index subscriptions_by_user on subscriptions (user_id);

-- Devices that have left an identified user, because another user got the device or the device was deleted. The ledger finds pushes by device, so
-- these and the user's present devices lead to all pushes of the user.
create table former_devices (
  user_id text collate "C" not null references users (id) on delete cascade,
  subscription_id text collate "C" not null,
  -- A row is kept a day longer than the ledger keeps pushes.
  until timestamptz not null default now(),
  primary key (user_id, subscription_id)
);
create index former_devices_until on former_devices (until);

-- The ids of deleted devices. The finish of a batch may have read a device before its deletion, and note afterwards that it was sent to. Locking
-- instead would write to each device with every push.
create table gone_devices (
  subscription_id text collate "C" primary key,
  -- Such a note is deleted then. No transaction of that time is open any more: a finish takes well below a second, and each of its statements at
  -- most 9 s.
  due_at timestamptz not null default now() + interval '30 seconds'
);
create index gone_devices_due on gone_devices (due_at);

-- Devices that an operator marked for tests, at most 100 of an app. They have a separate table, so that sends, registrations and sessions read and
-- write nothing more.
create table test_devices (
  subscription_id text collate "C" primary key,
  app_id text collate "C" not null,
  -- The time is kept to the millisecond, as in the cursors of lists (libs/contracts/src/page.ts).
  marked_at timestamptz(3) not null default now()
);
create index test_devices_of_app on test_devices (app_id, marked_at desc, subscription_id desc);

-- When each device was last sent to, for devices of apps that ask for lastNotifiedAt. A write to this short row takes 9 µs, and a write to the
-- device's row in `subscriptions` 41 µs.
create table last_notified (
  subscription_id text collate "C" primary key,
  at timestamptz not null
) with (fillfactor = 80);

-- Apps that asked for lastNotifiedAt. While an app has asked within seven days, the finish of each batch stores to which devices it was sent. For
-- earlier pushes the ledger is read, newest first.
create table notified_apps (
  app_id text collate "C" primary key,
  named_at timestamptz not null,
  -- Is raised when the ledger must be read again, so that an older reading cannot mark the new one as complete.
  round integer not null default 1,
  -- Where the reading of the ledger continues. Null when it begins at the newest push.
  read_to text,
  -- A segment that asks for lastNotifiedAt is evaluated only when the ledger has been read.
  is_read boolean not null default false
);

-- How many devices an app had at the end of each UTC day. After the day a process counts each device once, as its row is then. Nothing is written
-- when a device registers or is deleted.
create table device_days (
  app_id text collate "C" not null,
  day date not null,
  platform text collate "C" not null,
  taken_at timestamptz not null default now(),
  -- A device counts as either reachable, opted out or invalidated.
  total integer not null,
  reachable integer not null,
  opted_out integer not null,
  invalidated integer not null,
  active_1d integer not null,
  active_7d integer not null,
  active_30d integer not null,
  -- Devices that have a `created_at` on that day and were not deleted before they were counted.
  new integer not null,
  primary key (app_id, day, platform)
);
create index device_days_by_day on device_days (day);

create table device_day_claims (
  app_id text collate "C" primary key,
  -- The newest day of the app.
  day date not null,
  -- Until when one process may count the day. When it has died, another one may count the day afterwards. `infinity` when the day is counted.
  until timestamptz not null
);

-- Segments ----------------------------------------------------------------------------------------------------------------

create table segments (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  name text not null,
  description text,
  -- The type json keeps a definition word for word: jsonb would put the keys in another order and write 1e21 out in digits.
  definition json not null,
  last_count integer,
  last_counted_at timestamptz,
  -- Times are kept to the millisecond, so that the cursor of a list names its row exactly.
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- Segments are found by the beginning of their name in any letter case. Audience writes this, because lower() in a C locale knows only a to z.
  folded_name text not null,
  constraint segments_name_is_unique unique (app_id, name)
);
create index segments_newest_first on segments (app_id, created_at desc, id desc);

-- Sends under way ---------------------------------------------------------------------------------------------------------

create table fan_outs (
  campaign_id text collate "C" primary key,
  app_id text collate "C" not null,
  -- The UTC date of the first page. It is the ledger's partition for every push of this campaign.
  day date not null default (now() at time zone 'utc')::date,
  -- The frozen send and its target. The target is null after the last page, and both are null when the send is settled and all its batches are
  -- finished.
  send jsonb,
  target jsonb,
  -- The app's settings as they were at the first page.
  settings jsonb,
  started_at timestamptz not null default now(),
  -- Devices with a greater id, or made after started_at, are not in the send.
  bound_id text collate "C" not null,
  cursor text collate "C" not null default '',
  -- The number of the next page. Only the process that changes it from n to n + 1 inserts the batches of page n.
  page integer not null default 1,
  queued_ios integer not null default 0,
  queued_android integer not null default 0,
  queued_web integer not null default 0,
  lane text check (lane in ('prompt', 'bulk')),
  state text not null default 'running' check (state in ('running', 'waiting', 'between_waves', 'fanned_out', 'failed')),
  -- Up to which page campaigns and tracker know what the fan-out has done. While it is below `page`, audience must still tell them how many pushes
  -- are queued, or that the send has failed.
  told_page integer not null default 1,
  failure jsonb,
  lease_until timestamptz,
  due_at timestamptz default now() + interval '5 seconds',
  pointer_no integer not null default 0,
  settled_at timestamptz,
  -- Whether a send goes on, is paused or is cancelled. `flow_no` rises with every change.
  flow text not null default 'running' check (flow in ('running', 'paused', 'cancelled')),
  flow_no integer not null default 0,
  -- The waves of a send (spec: campaigns/waves): [{at, zones}], in order, planned when the send begins. Null when all users are sent to at once, and
  -- when the value was moved to `past_waves`.
  waves jsonb,
  wave integer not null default 0,
  -- How many tries of the next page failed. The waits between tries get longer and longer. After five failures the send fails.
  failures integer not null default 0,
  -- Why the last try failed, for operators: an error code of Postgres or of a call, never a value.
  last_failure text,
  -- How many batches the fan-out has, and up to which number they were reported to the ledger.
  batches integer not null default 0,
  told_batches integer not null default 0,
  -- A settled send is found by `waves` until its claims are deleted; then `waves` becomes null and its value moves here.
  past_waves jsonb
);
-- The apps take turns when the sweep takes due rows, so this index begins with the app.
create index fan_outs_due_by_app on fan_outs (app_id, due_at) where due_at is not null;
create index fan_outs_waiting on fan_outs (app_id, due_at) where state = 'waiting';
-- The paused sends of an app, nearly always none. Only for an app that has some, audience looks up which batches on a lane belong to paused sends.
create index fan_outs_paused on fan_outs (app_id) where flow = 'paused';
-- Sends that are not settled although campaigns and the tracker know all that they queued. A send to few devices is mostly settled before its row
-- says so, and then never in here.
create index fan_outs_unsettled on fan_outs (campaign_id) where due_at is null and settled_at is null;
create index fan_outs_settled on fan_outs (settled_at) where settled_at is not null;
-- Settled fan-outs whose column `send` is still to be emptied. There are nearly always none.
create index fan_outs_to_clear on fan_outs (campaign_id) where settled_at is not null and send is not null;
-- Settled sends whose wave claims are not deleted yet.
create index fan_outs_waves_to_clear on fan_outs (campaign_id) where settled_at is not null and waves is not null;
-- The wave claims of an erased user are looked up only in those sends of the app that have waves.
create index fan_outs_with_waves on fan_outs (app_id) where waves is not null;

-- A batch has at most 500 pushes of one platform, in the order of their devices' ids. Pushes that are tried again get a new batch.
create table batches (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  campaign_id text collate "C" not null,
  platform text not null check (platform in ('ios', 'android', 'web')),
  lane text not null check (lane in ('prompt', 'bulk')),
  day date not null,
  -- The instant from which the ttl counts. A batch of retries keeps it.
  queued_at timestamptz not null default now(),
  subscription_ids text[] not null,
  -- The user who owned each device when its push was queued.
  user_ids text[] not null,
  -- How many tries of these pushes at the provider count towards the most tries that a push may have. A try during which the dispatcher was killed
  -- does not count, for example.
  tries integer not null default 0,
  -- Outcomes that audience has decided itself, for example of pushes that failed for good. A dispatcher takes such a batch only to report them to the
  -- ledger. Null in a batch that is to be sent.
  decided jsonb,
  retry_of text collate "C",
  not_before timestamptz,
  -- The number of the latest take. Calls of a taker with an older number change nothing.
  takes integer not null default 0,
  lease_until timestamptz,
  due_at timestamptz default now() + interval '5 seconds',
  pointer_no integer not null default 0,
  done_at timestamptz,
  -- Since when the pushes wait because their circuit is open; a probe and its retries keep the value. Null in all other batches.
  held_since timestamptz,
  -- The environment of the open circuit that the latest take probes. Null when the take is no probe.
  probes text,
  -- How often audience has extended the lease of a take since the taker last renewed it.
  spared integer not null default 0,
  -- Why the pushes are tried again: Herald's code and the provider's own code (at most 200 characters, never a token). Operators see both.
  last_code text,
  last_provider_code text,
  -- The slots of the pushes in the ledger: the batch's number in the campaign and places in that batch, given when a page is committed. Batches of
  -- retries keep both.
  batch_no integer not null,
  places smallint[],
  -- In a batch of retries: the provider's answers to the earlier tries, in order: [{at, code, providerCode}]. Null when there was no answer.
  trail jsonb,
  -- Until when a batch waits for the turn of its credentials. It counts in the bulk window all the same, unlike a batch with a `not_before`.
  turn_at timestamptz,
  -- How often the statement that reads the batch's pushes has failed (spec: sending/unreadable-batch). Takes that ended for another reason do not
  -- count.
  failed_reads integer not null default 0
);
-- The list of pushes without an outcome. Its condition is written so that only statements use the index that read all unfinished batches
-- (store/turns.ts): the planner would take a plain one for look-ups by id and read a whole backlog.
create index batches_open on batches (app_id, campaign_id, id) where coalesce(done_at, 'infinity') = 'infinity';
-- Batches of small sends that no dispatcher has taken yet. For each app and platform only a limited number of them get a pointer.
create index batches_on_lane on batches (app_id, platform, due_at)
  where lane = 'prompt' and takes = 0 and not_before is null and done_at is null;
-- All other batches that are not done, and when the sweep points at them again. Apps take turns, so the index begins with the app.
create index batches_due_again on batches (app_id, due_at)
  where done_at is null and (lane = 'bulk' or takes > 0 or not_before is not null);
-- The batches that count in the bulk window of an app. A batch leaves the index when it is done or held, so the index stays about as small as the
-- window.
create index batches_bulk_open on batches (app_id, platform) where lane = 'bulk' and done_at is null and retry_of is null and not_before is null;
-- The first entry for an app and platform is the held batch at which the sweep points in time for the next probe. Held batches are released in the
-- order of this index.
create index batches_held on batches (app_id, platform, due_at) where held_since is not null and done_at is null;
-- Before audience commits a page of a large send, it counts the app's held batches of large sends. Of small sends there may be any number, so they
-- are not in the index.
create index batches_held_bulk on batches (app_id, platform) where lane = 'bulk' and held_since is not null and done_at is null;
-- When a campaign is settled its batches are deleted by this index.
create index batches_by_campaign on batches (campaign_id);

-- Devices that a wave of a send has taken. The last wave takes all other devices. The rows are deleted after the send is settled.
create table wave_claims (
  campaign_id text collate "C" not null,
  subscription_id text collate "C" not null,
  primary key (campaign_id, subscription_id)
);

-- A row says that a campaign counts for a user's frequency cap. Rows are written only for apps that have a cap.
create table cap_claims (
  app_id text collate "C" not null,
  user_id text collate "C" not null,
  campaign_id text collate "C" not null,
  at timestamptz not null default now(),
  -- After this time the claim is outside the window that the cap had when the claim was made.
  expires_at timestamptz not null,
  primary key (app_id, user_id, campaign_id)
);
create index cap_claims_expired on cap_claims (expires_at);

-- Providers ---------------------------------------------------------------------------------------------------------------

-- The circuits of apps (spec: providers/circuit).
create table circuits (
  app_id text collate "C" not null,
  platform text not null check (platform in ('ios', 'android', 'web')),
  -- Empty except for iOS.
  environment text not null default '',
  state text not null default 'closed' check (state in ('closed', 'open')),
  since timestamptz not null default now(),
  probe_at timestamptz,
  -- The last 200 answers, newest last, by which the mass guard decides. s: sent, g: token refused, w: credentials perhaps wrong, c: credentials
  -- certainly wrong, u: the provider is unavailable, a: any other.
  answers text not null default '',
  code text,
  credentials_version bigint,
  -- How many probes in a row the provider has refused since the circuit opened.
  refused_probes integer not null default 0,
  primary key (app_id, platform, environment)
);
create index circuits_open on circuits (app_id, platform) where state = 'open';

-- Invalidations that the mass guard allowed. When the circuit opens within 24 h because of the app's credentials, a device that still has the same
-- token becomes valid again.
create table guarded_invalidations (
  subscription_id text collate "C" primary key,
  app_id text collate "C" not null,
  platform text not null,
  environment text not null,
  token_version integer not null,
  at timestamptz not null default now()
);
create index guarded_invalidations_by_circuit on guarded_invalidations (app_id, platform, environment);
create index guarded_invalidations_by_age on guarded_invalidations (at);

-- The devices that a provider accepted last, newest first, by credentials and host (spec: providers/accepted-before). A refused device of the same
-- host then speaks of itself.
create table accepted_devices (
  app_id text collate "C" not null,
  platform text not null,
  environment text not null,
  -- Empty where all devices of a platform go to one host.
  host text collate "C" not null,
  credentials_version bigint,
  subscription_ids text[] not null,
  at timestamptz not null default now(),
  primary key (app_id, platform, environment, host)
);
create index accepted_devices_by_age on accepted_devices (at);

-- How fast credentials may send (spec: providers/quota): one row for all processes.
create table send_rates (
  -- Names the credentials, such as an FCM project.
  scope text collate "C" primary key,
  platform text not null,
  -- Null for no limit.
  per_second double precision,
  -- The rate that `per_second` may grow to; null for none.
  most double precision,
  -- The turn of the next push, at most a minute in the past, so that a minute's worth may be sent at once.
  next_at timestamptz not null default now() - interval '1 minute',
  changed_at timestamptz not null default now(),
  -- When the provider last asked to slow down.
  slowed_at timestamptz,
  minute_at timestamptz not null default now(),
  -- Accepted pushes of the minute since `minute_at`, of the minute before, and since `slowed_at`.
  accepted integer not null default 0,
  accepted_before integer not null default 0,
  accepted_since bigint not null default 0,
  -- The quota as it was measured at `slowed_at`.
  found double precision,
  app_ids text[] not null default '{}'
);

-- Imports -----------------------------------------------------------------------------------------------------------------

create table imports (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  state text not null default 'receiving' check (state in ('receiving', 'finished', 'cancelled')),
  format text not null,
  dry_run boolean not null,
  on_existing text not null check (on_existing in ('keep', 'update')),
  web text not null check (web in ('skip', 'import')),
  columns jsonb,
  max_rows_per_second integer,
  -- The names of a CSV file's columns. Null until they have been read, and for JSON lines.
  header jsonb,
  -- The bytes after next_offset that are not a complete row yet. They may contain a device's address, so they are deleted with the next lot or at the
  -- end.
  tail bytea,
  -- How many bytes of the file have been taken. The transaction that writes a lot (group of rows) also changes it, so that both happen or neither.
  next_offset bigint not null default 0,
  row_count bigint not null default 0,
  created_count bigint not null default 0,
  updated_count bigint not null default 0,
  kept_count bigint not null default 0,
  rejected_count bigint not null default 0,
  opted_out_count bigint not null default 0,
  error_count integer not null default 0,
  by_code jsonb not null default '{}',
  by_platform jsonb not null default '{"ios": 0, "android": 0, "web": 0}',
  warnings jsonb not null default '{}',
  -- Whether import_dry_rows may still hold rows of this import. Always false for an import that is no dry run.
  has_dry_rows boolean not null,
  -- The time is kept to the millisecond, so that the cursor of a list names its row exactly.
  created_at timestamptz(3) not null default now(),
  first_data_at timestamptz,
  last_data_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Whether the operator says that the devices of an export without the column `notification_types` allow notifications.
  assume_opted_in boolean not null default false,
  -- The offset just after the header of a CSV file. Null until it has been read, and for JSON lines.
  header_end bigint
);
create unique index imports_receiving on imports (app_id) where state = 'receiving';
create index imports_newest_first on imports (app_id, created_at desc, id desc);
create index imports_left_alone on imports (last_data_at) where state = 'receiving';
create index imports_ended on imports (ended_at) where ended_at is not null;
create index imports_to_clear on imports (id) where has_dry_rows;

-- The first 10,000 rejected rows of an import, without skipped browsers: where and why, but no value of the row.
create table import_errors (
  import_id text collate "C" not null references imports (id) on delete cascade,
  "row" bigint not null,
  "column" text,
  code text not null,
  message text not null,
  primary key (import_id, "row")
);

-- The devices and users that a dry run would have written, by hashes, so that later rows of the file find them (src/people/store/import-dry.ts).
create table import_dry_rows (
  import_id text collate "C" not null references imports (id) on delete cascade,
  key text collate "C" not null,
  state jsonb not null,
  primary key (import_id, key)
);

-- Events for webhooks -----------------------------------------------------------------------------------------------------

-- A row is deleted when webhooks has confirmed it, or when it is dropped (libs/service/src/bound-announcements.ts).
create table announcements (
  id text collate "C" primary key,
  subject text not null,
  body jsonb not null,
  due_at timestamptz not null default now() + interval '5 seconds',
  pointer_no integer not null default 0
);
create index announcements_due on announcements (due_at);
-- Announcements that were repeated and are not confirmed yet. While 200 of them were repeated at most eight times, the sweep repeats no other
-- announcement for the first time (store/announcements.ts).
create index announcements_repeated on announcements (due_at, pointer_no) where pointer_no > 0;

-- For which types of events an app has webhook endpoints. Webhooks tells audience before it answers that an endpoint exists. For an app without a row
-- no event is announced.
create table listeners (
  app_id text collate "C" primary key,
  -- When two calls of webhooks arrive in the wrong order, the one with the higher version counts.
  version bigint not null,
  event_types text[] not null
);

-- The whole service -------------------------------------------------------------------------------------------------------

-- Marks of deleted apps. Calls and messages about them that arrive late make no new rows.
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

-- Leaves out new rows of a marked app, whenever the transaction began. It raises no error, so that other work in the same commit goes on. A check
-- here costs microseconds and no round trip.

-- The erasure commits the mark and then takes the app's lock once (libs/service/src/erased-apps.ts). Every insert takes a share of this lock and
-- keeps it. The erasure waits for transactions with a share, so it sees and deletes their rows.

-- While the erasure has the lock, an insert gets no share and leaves its row out. After that it finds the mark: a statement of a volatile function
-- sees what is committed when the statement begins (read committed).

-- The setting `herald.app_is_kept` names the app whose share this transaction has, so that its further rows look up nothing. Setting and lock end
-- together, also when a savepoint is rolled back.

-- Names have their schema, because a role with another search path may insert too.
create function audience.leave_out_erased() returns trigger language plpgsql volatile as $$
begin
  if current_setting('herald.app_is_kept', true) = new.app_id then return new; end if;
  if not pg_try_advisory_xact_lock_shared(hashtextextended('audience.erased-app ' || new.app_id, 0)) then return null; end if;
  if exists (select from audience.erased_apps where app_id = new.app_id) then return null; end if;
  perform set_config('herald.app_is_kept', new.app_id, true);
  return new;
end
$$;

-- The other tables need no trigger. A transaction that makes a row there has locked a row of one of these, and the erasure goes on deleting until it
-- finds no row.
create trigger leave_out_erased before insert on users for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on subscriptions for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on notified_apps for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on device_days for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on device_day_claims for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on segments for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on fan_outs for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on accepted_devices for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on imports for each row execute function audience.leave_out_erased();
create trigger leave_out_erased before insert on listeners for each row execute function audience.leave_out_erased();

create function audience.remember_gone_devices() returns trigger language plpgsql as $$
begin
  insert into audience.gone_devices (subscription_id) select id from gone on conflict do nothing;
  return null;
end
$$;
create trigger remember_gone_devices after delete on subscriptions referencing old table as gone
  for each statement execute function audience.remember_gone_devices();

-- A transaction that marks a device locks the device's row until it commits, so a deletion that waited for this lock sees the mark here.
create function audience.forget_test_devices() returns trigger language plpgsql volatile as $$
begin
  delete from audience.test_devices where subscription_id = any(array(select id from gone));
  return null;
end
$$;
create trigger forget_test_devices after delete on subscriptions referencing old table as gone
  for each statement execute function audience.forget_test_devices();

-- Gives the event types that endpoints of these apps ask for. A transaction that makes events shares a lock from this call until it ends. All apps
-- have 64 locks, so a transaction about many apps holds few.

-- The statement after the lock sees what is committed when it begins (read committed). So each event that is committed after webhooks was answered
-- takes the new listeners into account.
create function audience.listeners_of(app_ids text[]) returns table (app_id text, event_types text[]) language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('audience.listeners', place))
    from (select distinct hashtext(asked.id) & 63 as place from unnest(app_ids) as asked(id) order by 1) places;
  return query
    select l.app_id, l.event_types from unnest(app_ids) as asked(id)
      cross join lateral (select * from audience.listeners where listeners.app_id = asked.id offset 0) l
    where cardinality(l.event_types) > 0;
end
$$;

-- Waits, after a change of `listeners` was committed, for all transactions that may have read the old rows. It waits at most 2 s, because all later
-- requests for the lock wait behind this one.
create function audience.wait_for_events_of(app_ids text[]) returns void language plpgsql volatile set lock_timeout = '2s' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('audience.listeners', place))
    from (select distinct hashtext(asked.id) & 63 as place from unnest(app_ids) as asked(id) order by 1) places;
end
$$;
