insert into change_entries (profile_id, change_id, position, table_name, op, is_derived, ids)
select profile_id, id, 0, made_table, 'c', false, made_ids from changes where made_ids is not null;
update changes set entries = 1 where made_ids is not null;
alter table changes drop constraint changes_made_complete, drop column made_table, drop column made_ids;
