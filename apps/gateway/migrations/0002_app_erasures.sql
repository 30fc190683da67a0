-- The services that the gateway still asks to erase a deleted app: one row for each app and service (the column `app`), deleted when the service
-- answers `done`.
create table app_erasures (
  app_id text collate "C" not null references apps (id),
  app text not null check (app in ('campaigns', 'audience', 'tracker', 'webhooks')),
  due_at timestamptz not null default now(),
  primary key (app_id, app)
);
create index app_erasures_due on app_erasures (due_at);

-- Adds rows for apps that were deleted before this table existed.
insert into app_erasures (app_id, app)
select id, app from apps, unnest(array['campaigns', 'audience', 'tracker', 'webhooks']) as app where deleted_at is not null;
