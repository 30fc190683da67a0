-- Ids are compared byte by byte (collate "C"). This is faster than the order of a language, and `id > cursor` means the same in every database.

-- Users and their devices -------------------------------------------------------------------------------------------------

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
  last_active_at timestamptz not null default now()
) with (fillfactor = 85);

-- An app has one user for each external id, also when devices log in at the same time. Anonymous users are not in this index.
create unique index users_by_external_id on users (app_id, external_id) where external_id is not null;

create table subscriptions (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  user_id text collate "C" not null references users (id),
  platform text not null check (platform in ('ios', 'android', 'web')),
  address text not null,
  -- SHA-256 of the kind (token or endpoint) and the address (since 0070 also of the app). The index is on this hash and not on the address, because a
  -- token may have 4,096 characters and an index entry at most 2,704 bytes.
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
  invalidated_at timestamptz
) with (fillfactor = 80);

create unique index subscriptions_by_address on subscriptions (app_id, address_hash);
-- A page of a fan-out reads the next 5,000 devices of an app after a cursor from this index.
create index subscriptions_by_app on subscriptions (app_id, id);
create index subscriptions_by_user on subscriptions (user_id);

-- When each device was last sent to; since 0081 only for devices of apps that ask for lastNotifiedAt. The time has a table of its own, because a
-- write to this short row takes 9 µs, and a write to the device's row in `subscriptions` takes 41 µs.
create table last_notified (
  subscription_id text collate "C" primary key,
  at timestamptz not null
) with (fillfactor = 80);

create table segments (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  name text not null,
  description text,
  definition jsonb not null,
  last_count integer,
  last_counted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint segments_name_is_unique unique (app_id, name)
);

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
  state text not null default 'running' check (state in ('running', 'waiting', 'fanned_out', 'failed')),
  -- Up to which page campaigns and tracker know what the fan-out has done. While it is below `page`, audience must still tell them how many pushes
  -- are queued, or that the send has failed.
  told_page integer not null default 1,
  failure jsonb,
  lease_until timestamptz,
  due_at timestamptz default now() + interval '5 seconds',
  pointer_no integer not null default 0,
  settled_at timestamptz
);

create index fan_outs_due on fan_outs (due_at) where due_at is not null;
create index fan_outs_waiting on fan_outs (app_id, due_at) where state = 'waiting';
create index fan_outs_settled on fan_outs (settled_at) where settled_at is not null;
-- Settled fan-outs whose column `send` is still to be emptied. There are nearly always none.
create index fan_outs_to_clear on fan_outs (campaign_id) where settled_at is not null and send is not null;

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
  -- Outcomes that audience has decided itself, for example of pushes that failed for good; null in a batch that is to be sent. A dispatcher takes the
  -- batch only to report these outcomes to the ledger.
  decided jsonb,
  retry_of text collate "C",
  not_before timestamptz,
  -- The number of the latest take. Calls of a taker with an older number change nothing.
  takes integer not null default 0,
  lease_until timestamptz,
  due_at timestamptz default now() + interval '5 seconds',
  pointer_no integer not null default 0,
  done_at timestamptz
);

-- The sweep finds in this index the batches that are not done, and when to point at them again.
create index batches_due on batches (due_at) where done_at is null;
-- The batches that count in the bulk window of an app. A batch leaves the index when it is done or held, so the index stays about as small as the
-- window.
create index batches_bulk_open on batches (app_id, platform) where lane = 'bulk' and done_at is null and retry_of is null and not_before is null;
-- When a campaign is settled its batches are deleted by this index.
create index batches_by_campaign on batches (campaign_id);

-- The circuits of apps. `environment` is '' except for iOS.
create table circuits (
  app_id text collate "C" not null,
  platform text not null check (platform in ('ios', 'android', 'web')),
  environment text not null default '',
  state text not null default 'closed' check (state in ('closed', 'open')),
  reason text,
  since timestamptz not null default now(),
  probe_at timestamptz,
  -- The provider's last 200 answers, newest last, by which the mass guard decides.
  answers jsonb not null default '[]',
  primary key (app_id, platform, environment)
);

-- Events for webhooks. A row is deleted when webhooks has confirmed it, or when it is dropped (libs/service/src/bound-announcements.ts).
create table announcements (
  id text collate "C" primary key,
  subject text not null,
  body jsonb not null,
  due_at timestamptz not null default now() + interval '5 seconds',
  pointer_no integer not null default 0
);

create index announcements_due on announcements (due_at);
