-- Circuit and mass guard (spec: providers/circuit): a circuit has the version of the credentials and its last 200 answers, newest last, with one letter
-- for each: s sent, g token refused, w credentials perhaps wrong, c credentials certainly wrong.
alter table circuits drop column answers, drop column reason;
alter table circuits add column answers text not null default '';
alter table circuits add column code text;
alter table circuits add column credentials_version bigint;
create index circuits_open on circuits (app_id, platform) where state = 'open';

-- Since when the pushes of a batch wait because their circuit is open; a probe and its retries keep the value. Null in all other batches.
alter table batches add column held_since timestamptz;
create index batches_held on batches (app_id, platform) where held_since is not null and done_at is null;
-- The environment of the open circuit that the latest take probes. Null when the take is no probe.
alter table batches add column probes text;

-- Invalidations that the mass guard allowed. When the circuit opens within 24 h because of the app's credentials, a device that still has the same
-- token becomes valid again.
create table guarded_invalidations (
  subscription_id text collate "C" primary key,
  app_id text collate "C" not null,
  platform text not null,
  environment text not null,
  token_version integer not null,
  at timestamptz not null default now()
);
create index guarded_invalidations_by_circuit on guarded_invalidations (app_id, platform, environment);

-- Whether a send goes on, is paused or is cancelled. `flow_no` rises with every change.
alter table fan_outs add column flow text not null default 'running' check (flow in ('running', 'paused', 'cancelled'));
alter table fan_outs add column flow_no integer not null default 0;
