-- Ids are compared byte by byte (collate "C"). A time that orders a list is kept to the millisecond, because the list's cursor holds it in
-- milliseconds and must find the same row again.

-- Apps --------------------------------------------------------------------------------------------------------------------

create table apps (
  id text collate "C" primary key,
  name text not null,
  settings jsonb not null,
  -- The secret that signs the identity tokens of the app's users, sealed (encrypted with one of the SEAL_KEYS). Null until an operator has one made.
  sealed_identity_secret text,
  created_at timestamptz(3) not null default now(),
  -- When an operator deleted the app; null before. Requests are then answered like those for an unknown app. The rows here are deleted after
  -- campaigns, audience, tracker and webhooks have erased theirs.
  deleted_at timestamptz(3)
);
-- This index serves the list of apps, newest first.
create index apps_newest on apps (created_at desc, id desc) where deleted_at is null;

-- The services that the gateway still asks to erase a deleted app. A row is deleted when the service answers `done`.
create table app_erasures (
  app_id text collate "C" not null references apps (id),
  -- The service.
  app text not null check (app in ('campaigns', 'audience', 'tracker', 'webhooks')),
  due_at timestamptz not null default now(),
  primary key (app_id, app)
);
create index app_erasures_due on app_erasures (due_at);

create table api_keys (
  id text collate "C" primary key,
  app_id text collate "C" not null references apps (id),
  kind text not null check (kind in ('secret', 'public')),
  name text not null,
  scopes text[] not null,
  -- SHA-256 of the key. A key has 256 random bits and cannot be guessed, so a slow hash would only cost time.
  hash text collate "C" not null,
  -- The key's last four characters, so that an operator can tell keys apart.
  hint text not null,
  created_at timestamptz(3) not null default now(),
  -- The hour in which the key was last used; null before its first use. Each gateway writes it in the background, at most once an hour for each key.
  last_used_at timestamptz
);
-- A gateway finds a key by its hash and then remembers the key for API_KEY_CACHE_TTL (60 s by default).
create unique index api_keys_by_hash on api_keys (hash);
create index api_keys_newest on api_keys (app_id, created_at desc, id desc);

-- Keys of the administration. Each administers one app, within its scopes. Tools and people use them in the place of the administration token.
create table admin_keys (
  id text collate "C" primary key,
  app_id text collate "C" not null references apps (id),
  -- The audit shows the name as the actor of what is done with the key.
  name text not null,
  -- What the key may do: read, send, people, settings.
  scopes text[] not null,
  -- SHA-256 of the key, as in api_keys.
  hash text collate "C" not null,
  -- The key's last four characters, so that an operator can tell keys apart.
  hint text not null,
  created_at timestamptz(3) not null default now(),
  -- The hour in which the key was last used; null before its first use.
  last_used_at timestamptz
);
-- A gateway finds a key by its hash and then remembers the key for API_KEY_CACHE_TTL.
create unique index admin_keys_by_hash on admin_keys (hash);
create index admin_keys_newest on admin_keys (app_id, created_at desc, id desc);

-- Providers ---------------------------------------------------------------------------------------------------------------

-- No version is ever used twice, even when credentials are deleted and set again: a process compares versions to see whether credentials changed.
create sequence provider_versions;

create table providers (
  app_id text collate "C" not null references apps (id),
  kind text not null check (kind in ('apns', 'fcm', 'webpush')),
  version bigint not null default nextval('provider_versions'),
  -- The fields of the credentials that are not secret. Which fields there are depends on `kind`.
  settings jsonb not null,
  sealed_private_key text not null,
  updated_at timestamptz(3) not null default now(),
  primary key (app_id, kind)
);

-- One provider token per Apple team and key, shared by every app and dispatcher that uses both: Apple answers TooManyProviderTokenUpdates to a team
-- that changes its token more often than every 20 minutes.
create table apns_tokens (
  team_id text collate "C" not null,
  key_id text collate "C" not null,
  -- Tells private keys apart: an app with a wrong private key gets a row of its own and does not spoil the token of the other apps.
  key_fingerprint text collate "C" not null,
  sealed_token text not null,
  minted_at timestamptz not null,
  primary key (team_id, key_id, key_fingerprint)
);

-- Audit -------------------------------------------------------------------------------------------------------------------

-- Who changed what.
create table audit (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  actor text not null,
  action text collate "C" not null,
  -- What was changed, such as a key's id, a provider's kind or the names of settings. It never holds a secret.
  subject jsonb not null,
  created_at timestamptz(3) not null default now(),
  -- The id of the request that made the change.
  request_id text
);
create index audit_newest on audit (app_id, created_at desc, id desc);
-- This index serves lists of the lines with one action, newest first.
create index audit_by_action on audit (app_id, action, created_at desc, id desc);
-- This index serves the sweep that deletes lines past AUDIT_RETENTION_DAYS.
create index audit_oldest on audit (created_at);
-- Refused sign-ins are summed in one line of the audit for each address and hour, because anybody can be refused and lines cannot be deleted.
create unique index audit_refused on audit ((subject ->> 'address'), (subject ->> 'hour'))
  where action = 'session.refused' and subject ? 'hour';

-- Changes that the gateway asks another service for, and exports. The gateway commits an intent before it asks. Afterwards it moves the intent to the
-- audit, or deletes it when the service refused.

-- When an intent is still here after a minute, the gateway died or got no answer, and nobody knows whether the change was made.
create table audit_intents (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  actor text not null,
  action text not null,
  subject jsonb not null,
  request_id text,
  created_at timestamptz(3) not null default now()
);
create index audit_intents_oldest on audit_intents (created_at);

-- Sign-in -----------------------------------------------------------------------------------------------------------------

-- Sessions of the dashboard.
create table sessions (
  id text collate "C" primary key,
  -- SHA-256 of the secret in the browser's cookie: nobody can sign in with what this table holds.
  id_hash bytea not null unique,
  -- The operator's name: given when signing in, else that of the sign-in link, else `administrator`. The audit shows the name; nothing proves it.
  name text not null,
  -- The header User-Agent of the browser that signed in.
  browser text not null,
  -- SHA-256 of the administration token under which the session began. When the token is changed, the session is not valid any more.
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  -- When the session was last used, up to a minute late.
  seen_at timestamptz not null default now(),
  -- The administration key with which the session began: the session may do what the key may do, and ends with it. Null when it began with the
  -- administration token or a sign-in link.
  admin_key_id text collate "C" references admin_keys (id) on delete cascade
);
create index sessions_by_use on sessions (seen_at);
-- This index serves the deletion of a key, which deletes its sessions.
create index sessions_by_admin_key on sessions (admin_key_id) where admin_key_id is not null;

-- Sign-in links. Each can begin one session. Only the SHA-256 of a link's code is stored.
create table sign_in_links (
  code_hash bytea primary key,
  name text,
  token_hash bytea not null,
  created_at timestamptz not null default now()
);
create index sign_in_links_by_age on sign_in_links (created_at);

-- The whole service -------------------------------------------------------------------------------------------------------

-- What several gateways share when RATE_LIMITS is `shared`. Unlogged: after a crash of the database the limits of that minute begin anew.
create unlogged table rate_windows (
  key text collate "C" not null,
  -- Minutes since 1970 by the clock of the database.
  minute bigint not null,
  used integer not null,
  primary key (key, minute)
) with (fillfactor = 50);
create index rate_windows_by_minute on rate_windows (minute);

-- The gateways that share the limits. Unlogged, like the limits.
create unlogged table gateways (
  id text collate "C" primary key,
  seen_at timestamptz not null
);

-- Housekeeping that one process at a time does, by name.
create table housework (
  name text primary key,
  -- When the next process may begin. While one works, the time after which it is dead.
  next_at timestamptz not null
);

-- Functions and triggers --------------------------------------------------------------------------------------------------

create function gateway.keep_audit() returns trigger language plpgsql as $$
begin
  raise exception 'lines of the audit neither change nor go before their time';
end
$$;

-- A line of the audit never changes. Only the count of a line of refused sign-ins may grow, within two hours.
create trigger audit_never_changes before update on audit for each row
  when ((
    old.action = 'session.refused'
    and old.created_at > now() - interval '2 hours'
    and to_jsonb(new) - 'subject' = to_jsonb(old) - 'subject'
    and new.subject - 'count' = old.subject - 'count'
    and (new.subject ->> 'count')::bigint > (old.subject ->> 'count')::bigint
  ) is not true)
  execute function gateway.keep_audit();
-- Nobody can delete a line in its first 400 days, the shortest retention that can be set.
create trigger audit_stays before delete on audit for each row
  when (old.created_at > now() - interval '400 days') execute function gateway.keep_audit();
