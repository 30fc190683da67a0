-- Ids are random hexadecimal: compressing those of a page costs 2.4 µs of Postgres a push when it is cut, and 0.7 µs each time they are read, to save
-- 19 bytes of log a push. A batch lives for seconds.
alter table batches alter column subscription_ids set storage external, alter column user_ids set storage external;
