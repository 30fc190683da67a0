-- Here the sweeps find scheduled campaigns and recurrences whose time has come. Sends under way, of which thousands may wait for audience, are not in
-- the index, so a notification pays nothing for it.
create index campaigns_planned on campaigns (status, due_at) where status in ('scheduled', 'active');
