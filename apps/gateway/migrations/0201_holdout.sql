-- How often the app's hold-out was drawn. It is kept while the hold-out is off, so that switching it on again holds out the same users.
alter table apps add column holdout_generation integer not null default 1;
