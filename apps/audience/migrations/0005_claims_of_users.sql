-- The wave claims of an erased user are looked up only in those sends of the app that have waves.
create index fan_outs_with_waves on fan_outs (app_id) where waves is not null;
