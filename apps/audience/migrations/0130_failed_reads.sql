-- How often the statement that reads the batch's pushes has failed (spec: sending/unreadable-batch). Takes that ended for another reason do not count.
alter table batches add column failed_reads integer not null default 0;
