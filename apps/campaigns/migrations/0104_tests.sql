-- A test is a notification to single devices that is counted in no series. Null in every other row: the rows have a null bitmap, so the column costs them nothing,
-- and the statement that accepts sends does not name it.
alter table campaigns add column test boolean;
-- Tests, newest first: among a million notifications they are found without reading them.
create index campaigns_tests on campaigns (app_id, created_at desc, id desc) where test;
