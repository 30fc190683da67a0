-- Fields that a send adds to what each provider gets of it. The columns are null in nearly every row, where they take no space.
alter table campaigns add column overrides jsonb;
alter table templates add column overrides jsonb;
