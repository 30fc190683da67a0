-- This migration makes no table. Endpoints, events and deliveries come with the next one.
select 1;
