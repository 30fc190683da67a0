-- Which request a line is of; null in lines of before.
alter table audit add column request_id text;

-- Lines by what was done, newest first. Names are compared bytewise.
alter table audit alter column action type text collate "C";
create index audit_by_action on audit (app_id, action, created_at desc, id desc);
-- What is past its retention, where one is set.
create index audit_oldest on audit (created_at);

-- A line is written once. It goes at its retention, which is 400 days at least.
create function gateway.keep_audit() returns trigger language plpgsql as $$
begin
  raise exception 'lines of the audit neither change nor go before their time';
end
$$;
create trigger audit_never_changes before update on audit for each row execute function gateway.keep_audit();
create trigger audit_stays before delete on audit for each row
  when (old.created_at > now() - interval '400 days') execute function gateway.keep_audit();

-- Changes that another app is asked for: committed before it is asked, and moved to the audit, or taken back when it refused. What is still
-- here after a minute was cut off in between.
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
