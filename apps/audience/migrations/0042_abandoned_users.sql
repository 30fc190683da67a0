-- Whether a request with a secret key ever made or changed a user (since 0107 also an import). For users who exist now this is unknown, so it is
-- true.
alter table users add column by_backend boolean not null default true;
alter table users alter column by_backend set default false;

-- Identified users whom their last device has left, who have no tags, language, timezone or country, and for whom `by_backend` is false. Anybody with
-- a public key can make such users by the thousand. A row is a candidate: the user is deleted at `due_at`, unless one of these conditions does not
-- hold any more.
create table abandoned_users (
  user_id text collate "C" primary key references users (id) on delete cascade,
  due_at timestamptz not null default now() + interval '30 days'
);
create index abandoned_users_due on abandoned_users (due_at);
