-- Whether a request with a secret key ever changed a user. For users who exist now this is unknown, so they count as changed.
alter table users add column by_backend boolean not null default true;
alter table users alter column by_backend set default false;

-- Identified users whom their last device has left and who have no tags or fields. Anybody with a public key can make such users by the thousand. A
-- row is a candidate: the user is deleted at `due_at`, unless the user has a device, a tag or a field by then.
create table abandoned_users (
  user_id text collate "C" primary key references users (id) on delete cascade,
  due_at timestamptz not null default now() + interval '30 days'
);
create index abandoned_users_due on abandoned_users (due_at);
