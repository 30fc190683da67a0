-- The user's own choices of categories, as an object of category ids with true or false. Null while the user has chosen nothing.
alter table users add column preferences jsonb;
