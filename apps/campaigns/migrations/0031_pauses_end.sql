-- Since when a campaign is paused; null while it is not paused. A pause ends after PAUSE_MAX_DAYS.
alter table campaigns add column paused_at timestamptz;
update campaigns set paused_at = now() where status = 'paused';
create index campaigns_paused on campaigns (paused_at) where paused_at is not null;
