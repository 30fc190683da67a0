-- Whether people find the send in their inbox, which the tracker makes of the ledger.
alter table campaigns add column inbox boolean not null default false;
