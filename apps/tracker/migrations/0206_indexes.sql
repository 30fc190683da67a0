-- Indexes on tables that may be large. They lie in a file of their own: building one lets others read, which a change of columns does not.
create index counters_inbox on counters (app_id, campaign_id) where inbox;
