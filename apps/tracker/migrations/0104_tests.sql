-- True for a test, which is counted in no series and whose events say that it is a test. The column makes no row larger: it is one byte at the end of
-- the row, where a row of counters has padding.
alter table counters add column if not exists test boolean not null default false;
