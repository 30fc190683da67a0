-- Breaker and mass guard (spec: providers/circuit): a circuit knows which credentials it speaks of and its last 200 answers, a letter each, newest last:
-- s sent, g guarded, w perhaps our credentials, c our credentials for sure.
alter table circuits drop column answers, drop column reason;
alter table circuits add column answers text not null default '';
alter table circuits add column code text;
alter table circuits add column credentials_version bigint;
create index circuits_open on circuits (app_id, platform) where state = 'open';

-- A batch that waits for its circuit; null: it does not.
alter table batches add column held_since timestamptz;
create index batches_held on batches (app_id, platform) where held_since is not null and done_at is null;
-- The environment of the open circuit whose probe the take is; null: it is none.
alter table batches add column probes text;

-- What the mass guard let through as dead: undone when its circuit opens within 24 h.
create table guarded_invalidations (
  subscription_id text collate "C" primary key,
  app_id text collate "C" not null,
  platform text not null,
  environment text not null,
  token_version integer not null,
  at timestamptz not null default now()
);
create index guarded_invalidations_by_circuit on guarded_invalidations (app_id, platform, environment);

-- Whether a send goes on: administration pauses, resumes and cancels it. `flow_no` rises with every change.
alter table fan_outs add column flow text not null default 'running' check (flow in ('running', 'paused', 'cancelled'));
alter table fan_outs add column flow_no integer not null default 0;
