-- True in a test: a notification to single devices that is counted in no series. The column is null in every other row, where it takes no space, and
-- the statement that accepts sends does not name it.
alter table campaigns add column test boolean;
-- Tests, newest first. This index finds them without reading a million notifications.
create index campaigns_tests on campaigns (app_id, created_at desc, id desc) where test;
