-- What of an app is under way and not yet taken over by audience: pointed at (due later) or waiting for its turn (due). The sweep walks
-- it app by app, so that a flood of one is a place in the turn of the others.
create index campaigns_to_point_at on campaigns (app_id, due_at) where status = 'sending' and due_at is not null;
