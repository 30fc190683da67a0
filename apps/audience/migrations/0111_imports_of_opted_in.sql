-- Whether the operator says that the devices of an export without the column `notification_types` allow notifications. `header_end`: the offset just
-- after the header of a CSV file; null until it has been read, and for JSON lines.
alter table imports add column assume_opted_in boolean not null default false;
alter table imports add column header_end bigint;
