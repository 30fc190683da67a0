-- When a page is committed, each of its pushes gets its slot in the ledger: a place in a batch (`places`), and the batch's number in the campaign
-- (`batch_no`). Batches of retries keep the number and the places.
alter table batches add column batch_no integer not null, add column places smallint[];
-- How many batches a fan-out has, and up to which number they were reported to the ledger.
alter table fan_outs add column batches integer not null default 0, add column told_batches integer not null default 0;
