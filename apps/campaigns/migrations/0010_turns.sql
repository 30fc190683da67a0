-- The sends of an app that audience has not taken over: it is pointed at them (due later), or they wait for their turn (due). The sweep takes them app by app,
-- so that a flood of one app delays the others by a place in a turn.
create index campaigns_to_point_at on campaigns (app_id, due_at) where status = 'sending' and due_at is not null;
