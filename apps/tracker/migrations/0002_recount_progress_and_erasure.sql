-- How far each platform has come: pushes that have an outcome, moved by the same update as the sums.
alter table counters
  add column settled_ios integer not null default 0,
  add column settled_android integer not null default 0,
  add column settled_web integer not null default 0;
update counters set settled_ios = settled.ios, settled_android = settled.android, settled_web = settled.web
from (
  select campaign_id,
    count(*) filter (where platform = 'ios') as ios,
    count(*) filter (where platform = 'android') as android,
    count(*) filter (where platform = 'web') as web
  from ledger group by campaign_id
) settled
where counters.campaign_id = settled.campaign_id;

-- A report counts for the variant its msgId names, also while its push has no outcome yet: a recount needs it here.
alter table engagements add column variant text not null default '';
update engagements set variant = ledger.variant from ledger
where ledger.variant <> ''
  and (ledger.day, ledger.campaign_id, ledger.subscription_id) = (engagements.day, engagements.campaign_id, engagements.subscription_id);

-- For the retention, and for the reconciler's walk through the campaigns of the last days. Neither column ever moves.
drop index counters_by_day;
create index counters_by_day on counters (day, campaign_id);

-- Marks of deleted apps: what still comes for them is not written, so that their rows are not made again.
create table erased_apps (
  app_id text collate "C" primary key,
  at timestamptz not null default now()
);
