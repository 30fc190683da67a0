-- Apps and what belongs to them: API keys, provider credentials, APNs tokens and the audit, which says who changed what. A time that orders a list
-- has milliseconds and no more, because the list's cursor holds it in milliseconds and must find the same row again.

create table apps (
  id text collate "C" primary key,
  name text not null,
  settings jsonb not null,
  -- The secret that signs the identity tokens of the app's users, sealed (encrypted with one of the SEAL_KEYS). Null until an operator has one made.
  sealed_identity_secret text,
  created_at timestamptz(3) not null default now(),
  -- When an operator deleted the app; null before. Requests for a deleted app are answered like those for an unknown app. Its rows here are
  -- deleted after campaigns, audience, tracker and webhooks have erased theirs.
  deleted_at timestamptz(3)
);
-- This index serves the list of apps, newest first.
create index apps_newest on apps (created_at desc, id desc) where deleted_at is null;

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
  created_at timestamptz(3) not null default now()
);
-- A gateway finds a key by its hash and then remembers the key for API_KEY_CACHE_TTL (60 s by default).
create unique index api_keys_by_hash on api_keys (hash);
create index api_keys_newest on api_keys (app_id, created_at desc, id desc);

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

-- One provider token per Apple team and key, shared by every app and dispatcher that uses this team and key: Apple answers
-- TooManyProviderTokenUpdates to a team that changes its token more often than every 20 minutes. The fingerprint tells private keys apart: an app
-- with a wrong private key gets a row of its own and does not spoil the token of the other apps.
create table apns_tokens (
  team_id text collate "C" not null,
  key_id text collate "C" not null,
  key_fingerprint text collate "C" not null,
  sealed_token text not null,
  minted_at timestamptz not null,
  primary key (team_id, key_id, key_fingerprint)
);

create table audit (
  id text collate "C" primary key,
  app_id text collate "C" not null,
  actor text not null,
  action text not null,
  -- What was changed, such as a key's id, a provider's kind or the names of settings. It never holds a secret.
  subject jsonb not null,
  created_at timestamptz(3) not null default now()
);
create index audit_newest on audit (app_id, created_at desc, id desc);
