-- When the sweep next looks whether an experiment picks its winner by itself. Null in nearly every row, where it takes no space.
alter table campaigns add column winner_due_at timestamptz;

-- In a campaign that sends the winner of an experiment: `significance` or `deadline` when Herald picked it, null when a person did.
alter table campaigns add column remainder_decided text;
