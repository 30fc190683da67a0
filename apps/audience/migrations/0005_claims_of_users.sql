-- The claims of an erased user are looked for in the app's sends that have waves, and in no others.
create index fan_outs_with_waves on fan_outs (app_id) where waves is not null;
