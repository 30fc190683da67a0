-- How many runs a recurrence has made, for `maxRuns` of its schedule. Null in nearly every row, where it takes no space.
alter table campaigns add column run_count integer;

-- How many pushes a minute a send hands over for the first time. 0 when an operator has taken the rate away: audience is then told so. Null in nearly
-- every row, where it takes no space.
alter table campaigns add column send_rate integer;
alter table templates add column send_rate integer;
