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

-- The administration key with which the session began: the session may do what the key may do, and ends with it. Null when the session began with the
-- administration token or a sign-in link.
alter table sessions add column admin_key_id text collate "C" references admin_keys (id) on delete cascade;
-- This index serves the deletion of a key, which deletes its sessions.
create index sessions_by_admin_key on sessions (admin_key_id) where admin_key_id is not null;
