-- The paused sends of an app. There are nearly always none. Only for an app that has some, audience looks up which batches on a lane belong to paused
-- sends.
create index fan_outs_paused on fan_outs (app_id) where flow = 'paused';
