-- The user's own choices of categories, as an object of category ids with true or false. Null while the user has chosen nothing.
alter table users add column preferences jsonb;
-- A page of a send with a category looks here for the users who have chosen, and so reads no row of the others.
create index users_with_preferences on users (id) where preferences is not null;
