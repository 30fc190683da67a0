-- In the follow-up of a recall: the campaign that it recalls, and how (mode, skipOpened, the variants of that campaign's experiment). Null in every other
-- row, where they take no space.
alter table campaigns add column recall_of text collate "C";
alter table campaigns add column recall jsonb;
