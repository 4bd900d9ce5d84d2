drop function bind_replica(bigint, bigint, uuid);
drop function last_write(text);
drop function begin_write(bigint);
alter table profiles drop column write_id;
