-- How often a send could not be begun by its own fault. The column is null in nearly every row, where it takes no space.
alter table campaigns add column failed_starts integer;
