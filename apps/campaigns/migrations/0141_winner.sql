-- What the read of an experiment says of its winner: the variant that this campaign sends, and the operator who picked it.
alter table campaigns add column remainder_variant text;
alter table campaigns add column remainder_by text;
