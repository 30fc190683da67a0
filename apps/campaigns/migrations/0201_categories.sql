-- Categories of notifications, which people may join or leave. People's choices are in audience (users.preferences).
create table categories (
  app_id text collate "C" not null,
  -- The app chooses the id, which sends and templates name.
  id text collate "C" not null,
  name text not null,
  description text,
  -- Who is in the category without a choice of their own: everybody (in) or nobody (out).
  "default" text not null check ("default" in ('in', 'out')),
  -- Nobody can leave a locked category.
  locked boolean not null default false,
  presentation jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (app_id, id)
);
create trigger leave_out_erased before insert on categories for each row execute function campaigns.leave_out_erased();

-- The category of a send as id, default and locked, frozen when the send is asked for. Null in a send without a category, where it takes no space.
alter table campaigns add column category jsonb;
-- The id of the category of a template.
alter table templates add column category text;
