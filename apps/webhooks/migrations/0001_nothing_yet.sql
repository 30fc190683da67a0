-- Endpoints, buffer and deliveries come with their own issue; until then this schema holds no table.
select 1;
