-- The sweeps look here for campaigns whose time has come. Sends that wait in great numbers are not in this index, and a notification pays nothing for it.
create index campaigns_planned on campaigns (status, due_at) where status in ('scheduled', 'active');
