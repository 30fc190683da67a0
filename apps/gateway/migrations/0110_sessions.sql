-- Sessions of the dashboard. The id that the browser holds is not here, only its SHA-256: who reads this table can sign in nowhere.
create table sessions (
  id text collate "C" primary key,
  id_hash bytea not null unique,
  -- Who it says to be, for the audit: a label and no proof.
  name text not null,
  -- The browser's own description of itself.
  browser text not null,
  -- SHA-256 of the administration token that the session began under: with another token it is none.
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  -- Its last use, late by a minute at most.
  seen_at timestamptz not null default now()
);
create index sessions_by_use on sessions (seen_at);

-- Links that begin a session once. Their code is kept as its SHA-256.
create table sign_in_links (
  code_hash bytea primary key,
  name text,
  token_hash bytea not null,
  created_at timestamptz not null default now()
);
create index sign_in_links_by_age on sign_in_links (created_at);
