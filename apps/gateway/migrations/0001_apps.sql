-- Apps and what belongs to them: keys, provider credentials, APNs tokens, the record of who changed what.
-- Times that order a list have milliseconds, because a cursor carries them and must find the same row again.

create table apps (
  id text collate "C" primary key,
  name text not null,
  settings jsonb not null,
  -- Sealed; signs the identity tokens of the app's users. Null until it is asked for.
  sealed_identity_secret text,
  created_at timestamptz(3) not null default now(),
  -- A deleted app answers like an unknown one at once; its rows go when every app has let go of it.
  deleted_at timestamptz(3)
);
-- The list, newest first.
create index apps_newest on apps (created_at desc, id desc) where deleted_at is null;

create table api_keys (
  id text collate "C" primary key,
  app_id text collate "C" not null references apps (id),
  kind text not null check (kind in ('secret', 'public')),
  name text not null,
  scopes text[] not null,
  -- SHA-256 of the key: with 256 random bits in it a slow hash would only be a way to keep us busy.
  hash text collate "C" not null,
  -- The key's last four characters, so that a person can tell which it is.
  hint text not null,
  created_at timestamptz(3) not null default now()
);
-- One look-up per unknown key; at most one per minute and process for a known one.
create unique index api_keys_by_hash on api_keys (hash);
create index api_keys_newest on api_keys (app_id, created_at desc, id desc);

-- Versions never come again, also when credentials are deleted and set anew: readers compare them.
create sequence provider_versions;

create table providers (
  app_id text collate "C" not null references apps (id),
  kind text not null check (kind in ('apns', 'fcm', 'webpush')),
  version bigint not null default nextval('provider_versions'),
  -- What is no secret, by kind.
  settings jsonb not null,
  sealed_private_key text not null,
  updated_at timestamptz(3) not null default now(),
  primary key (app_id, kind)
);

-- One provider token per team and key, shared by every app and dispatcher that uses them: Apple answers
-- TooManyProviderTokenUpdates to a team that changes more often than every 20 minutes. The fingerprint keeps an app that
-- was given a wrong private key from spoiling the token of the others.
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
  -- What was changed: a key's id, a provider's kind, the names of the settings. Never a value that is secret.
  subject jsonb not null,
  created_at timestamptz(3) not null default now()
);
create index audit_newest on audit (app_id, created_at desc, id desc);
