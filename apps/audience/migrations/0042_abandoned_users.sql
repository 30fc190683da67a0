-- Whether a backend ever wrote to a user, with a secret key. Of the users there are now nobody knows, so they count as written to.
alter table users add column by_backend boolean not null default true;
alter table users alter column by_backend set default false;

-- Identified users whom the last device has left and who hold nothing: anybody with a public key can make such users by the thousand. They go
-- when they are due, unless something came to them meanwhile. Holds candidates only.
create table abandoned_users (
  user_id text collate "C" primary key references users (id) on delete cascade,
  due_at timestamptz not null default now() + interval '30 days'
);
create index abandoned_users_due on abandoned_users (due_at);
