-- Indexes on tables that may be large. They lie in a file of their own: building one lets others read, which a change of columns does not.
-- Whether a campaign still needs a category that is to be deleted. Most sends have no category and are not in the index.
create index campaigns_of_category on campaigns (app_id, (category ->> 'id'))
  where category is not null and status in ('scheduled', 'active', 'sending', 'paused');
create index campaigns_winners_due on campaigns (winner_due_at) where winner_due_at is not null;
