-- The rows that a change created, if they are of one table and all that it did. It has no entries then, so that recording a new
-- transaction is one row more.
alter table changes
    add column made_table text,
    add column made_ids int8multirange,
    add constraint changes_made_complete check ((made_table is null) = (made_ids is null));
