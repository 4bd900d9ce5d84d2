-- The columns go with the migration before.
select 1;
