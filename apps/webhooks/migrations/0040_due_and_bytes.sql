-- The housekeeping finds bodies past their retention by an index in the order of their age, and reads no others. Bodies of successful deliveries are
-- kept for another time than other bodies, so each kind has an index of its own: with one index every search read all undelivered bodies again.
create index deliveries_delivered_bodies on deliveries (ended_at) where has_body and state = 'delivered';
create index deliveries_other_bodies on deliveries (coalesce(ended_at, created_at)) where has_body and state <> 'delivered';
drop index deliveries_with_body;
create index deliveries_ended_by_age on deliveries (created_at) where due_at is null and not has_body;
drop index deliveries_by_age;
create index erased_users_at on erased_users (at);
-- Finds the oldest bodies of an endpoint that stores too many bytes.
create index deliveries_bodies_of_endpoint on deliveries (endpoint_id, created_at) where has_body and due_at is null;

-- The bytes that an endpoint stores: the text of its waiting events and the bodies of its deliveries. The transactions that insert and delete them
-- keep count.
alter table queues add column waiting_bytes bigint not null default 0, add column body_bytes bigint not null default 0;
update queues q set
  waiting_bytes = coalesce((select sum(octet_length(event)) from waiting_events where endpoint_id = q.endpoint_id), 0),
  body_bytes = coalesce(
    (select sum(octet_length(body)) from deliveries d join delivery_bodies b on b.delivery_id = d.id where d.endpoint_id = q.endpoint_id), 0
  );
