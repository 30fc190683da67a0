-- A push is place p of batch n of its campaign from the moment its page commits: the ledger knows it by that. Retries keep number and places.
alter table batches add column batch_no integer not null, add column places smallint[];
-- How many batches a fan-out has made, and up to which the ledger was told.
alter table fan_outs add column batches integer not null default 0, add column told_batches integer not null default 0;
