-- Two bills of a card have no day in common. The keys are ranges of one number, because only ranges have an operator of equality in
-- the indexes that every PostgreSQL has: `profile_id with =` needs the extension btree_gist, which is not on every server. Checked
-- at the end of a transaction, because one change moves several bills.
-- Citus refuses such a constraint on a distributed table, as it wants the plain column: distributed.sql adds another one there.
do $$
declare
    is_distributed boolean := false;
begin
    if exists (select 1 from pg_catalog.pg_extension where extname = 'citus') then
        execute 'select exists (select 1 from pg_dist_partition where logicalrelid = ''credit_bills''::regclass)' into is_distributed;
    end if;
    if not is_distributed then
        alter table credit_bills add constraint credit_bills_kept_apart exclude using gist (
            int8range(profile_id, profile_id, '[]') with =,
            int8range(account_id, account_id, '[]') with =,
            daterange(period_start, period_end, '[]') with &&
        ) deferrable initially deferred;
    end if;
end
$$;
