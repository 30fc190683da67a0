-- Credentials of providers that are not in use: those that a provider is being asked about before they replace working ones, and those that were
-- replaced, for a rollback.
create table kept_credentials (
  id text collate "C" primary key,
  app_id text collate "C" not null references apps (id),
  kind text not null check (kind in ('apns', 'fcm', 'webpush')),
  -- `candidate`: a provider is asked about them; the row goes with the answer. `former`: they were replaced.
  state text not null check (state in ('candidate', 'former')),
  -- As in `providers`.
  settings jsonb not null,
  -- Sealed for the app and the kind, as in `providers`, so that a rollback need not open it.
  sealed_private_key text not null,
  created_at timestamptz(3) not null default now()
);
-- An app has one set of former credentials for each provider.
create unique index kept_credentials_former on kept_credentials (app_id, kind) where state = 'former';
-- This index serves the deletion of an app, and of candidates that a gateway left behind.
create index kept_credentials_by_app on kept_credentials (app_id, created_at);

-- The text of a public key, which is built into pages and apps and is no secret, so that an operator can copy it again. Null for secret keys, and for
-- public keys that were made before this column.
alter table api_keys add column public_text text;
