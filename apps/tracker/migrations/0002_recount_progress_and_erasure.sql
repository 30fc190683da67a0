-- How many pushes of each platform have an outcome. The update that changes the other counters changes these too.
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

-- The variant that the report's msgId names. A report counts for this variant even while its push has no outcome, so a recount needs it here.
alter table engagements add column variant text not null default '';
update engagements set variant = ledger.variant from ledger
where ledger.variant <> ''
  and (ledger.day, ledger.campaign_id, ledger.subscription_id) = (engagements.day, engagements.campaign_id, engagements.subscription_id);

-- For deleting old counters, and for the reconciler, which reads the campaigns of the last days. The columns of this index never change.
drop index counters_by_day;
create index counters_by_day on counters (day, campaign_id);

-- Marks of deleted apps. Messages about such an app that arrive late write nothing, so that its rows do not come back.
create table erased_apps (
  app_id text collate "C" primary key,
  at timestamptz not null default now()
);
