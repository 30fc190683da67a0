-- The operator who made a campaign. Null in a campaign that a secret key made, and in those from before this column, where it takes no space.
alter table campaigns add column author text;
