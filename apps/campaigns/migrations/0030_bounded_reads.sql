-- Campaigns that are not notifications, newest first. This index finds them without reading a million notifications. A notification pays nothing for
-- it, because it is never in the index.
create index campaigns_by_people on campaigns (app_id, created_at desc, id desc) where not transactional;

-- How often a template was used, without counting its campaigns at every read. A campaign with a template adds a row here when it is inserted or
-- deleted, and rows for both templates when it changes its template. A sweep adds the rows up into the templates, about once a second. The row
-- commits together with the campaign, and the sum together with the deletion of the rows, so a template's count plus its rows is exact at any moment.
-- A send adds a row and never waits for a lock: a column that every send increments made accepting 2.3 times slower. A send without a template pays
-- nothing. A send with a template pays no more than it paid for the index that this table replaces.
create table template_uses (
  id bigint generated always as identity primary key,
  template_id text collate "C" not null,
  uses integer not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
create index template_uses_of_template on template_uses (template_id);
alter table templates add column use_count bigint not null default 0;

create function campaigns.note_template_use() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.template_id is not null then
    insert into campaigns.template_uses (template_id, uses) values (old.template_id, -1);
  end if;
  if tg_op <> 'DELETE' and new.template_id is not null then
    insert into campaigns.template_uses (template_id, uses) values (new.template_id, 1);
  end if;
  return null;
end
$$;
-- Creating the first trigger locks the table, so no process writes campaigns until this migration commits, and the count below is complete.
create trigger note_use_of_new after insert on campaigns for each row when (new.template_id is not null)
  execute function campaigns.note_template_use();
create trigger note_use_of_deleted after delete on campaigns for each row when (old.template_id is not null)
  execute function campaigns.note_template_use();
create trigger note_use_of_changed after update of template_id on campaigns for each row
  when (old.template_id is distinct from new.template_id) execute function campaigns.note_template_use();

update templates set use_count = used.count
from (select template_id, count(*) as count from campaigns where template_id is not null group by template_id) as used
where templates.id = used.template_id;
drop index campaigns_by_template;
