-- What several gateways share when RATE_LIMITS is `shared`. Unlogged: after a crash of the database the limits of that minute begin anew.
create unlogged table rate_windows (
  key text collate "C" not null,
  -- Minutes since 1970 by the clock of the database.
  minute bigint not null,
  used integer not null,
  primary key (key, minute)
) with (fillfactor = 50);
create index rate_windows_by_minute on rate_windows (minute);

create unlogged table gateways (
  id text collate "C" primary key,
  seen_at timestamptz not null
);
