-- The sends of an app that are paused: nearly always none. What of them stands on a lane is counted apart, and only where there are any.
create index fan_outs_paused on fan_outs (app_id) where flow = 'paused';
