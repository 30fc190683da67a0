-- Sessions of the dashboard. The browser's cookie has a secret, and this table only the secret's SHA-256 (`id_hash`): nobody can sign in with what
-- this table holds.
create table sessions (
  id text collate "C" primary key,
  id_hash bytea not null unique,
  -- The operator's name: given when signing in, else that of the sign-in link, else `administrator`. The audit shows the name; nothing proves it.
  name text not null,
  -- The header User-Agent of the browser that signed in.
  browser text not null,
  -- SHA-256 of the administration token under which the session began. When the token is changed, the session is not valid any more.
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  -- When the session was last used, up to a minute late.
  seen_at timestamptz not null default now()
);
create index sessions_by_use on sessions (seen_at);

-- Sign-in links. Each can begin one session. Only the SHA-256 of a link's code is stored.
create table sign_in_links (
  code_hash bytea primary key,
  name text,
  token_hash bytea not null,
  created_at timestamptz not null default now()
);
create index sign_in_links_by_age on sign_in_links (created_at);
