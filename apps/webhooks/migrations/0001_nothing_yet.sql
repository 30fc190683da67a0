-- Endpoints, events and deliveries come with the next migration: this one makes no table.
select 1;
