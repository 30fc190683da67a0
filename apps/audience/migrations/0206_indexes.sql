-- Indexes on tables that may be large. They lie in a file of their own: building one lets others read, which a change of columns does not.
-- A page of a send with a category looks here for the users who have chosen, and so reads no row of the others.
create index users_with_preferences on users (id) where preferences is not null;
