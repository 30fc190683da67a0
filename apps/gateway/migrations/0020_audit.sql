-- The id of the request that made the change; null in lines that are older than this column.
alter table audit add column request_id text;

-- This index serves lists of the lines with one action, newest first. Collation "C" compares the actions byte by byte.
alter table audit alter column action type text collate "C";
create index audit_by_action on audit (app_id, action, created_at desc, id desc);
-- This index serves the sweep that deletes lines past AUDIT_RETENTION_DAYS.
create index audit_oldest on audit (created_at);

-- A line of the audit never changes, and nobody can delete it in its first 400 days, the shortest retention that can be set.
create function gateway.keep_audit() returns trigger language plpgsql as $$
begin
  raise exception 'lines of the audit neither change nor go before their time';
end
$$;
create trigger audit_never_changes before update on audit for each row execute function gateway.keep_audit();
create trigger audit_stays before delete on audit for each row
  when (old.created_at > now() - interval '400 days') execute function gateway.keep_audit();

-- Intents: changes that the gateway asks another service for, and exports. The gateway commits an intent before it asks. Afterwards it moves the
-- intent to the audit, or deletes it when the service refused. When an intent is still here after a minute, the gateway died or got no answer, and
-- nobody knows whether the change was made.
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
