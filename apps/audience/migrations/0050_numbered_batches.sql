-- From the commit of its page on, a push is place p of batch n of its campaign, which is its slot in the ledger. Batches of retries keep number and
-- places.
alter table batches add column batch_no integer not null, add column places smallint[];
-- How many batches a fan-out has, and up to which number they were reported to the ledger.
alter table fan_outs add column batches integer not null default 0, add column told_batches integer not null default 0;
