alter table idempotency_keys drop column change_id;
drop table change_entries;
drop table changes;
