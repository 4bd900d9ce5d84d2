-- How many transactions each profile has, so that the limit of them costs no count of rows.
create table transaction_counts (
    profile_id bigint not null,
    transactions bigint not null,
    constraint transaction_counts_pkey primary key (profile_id),
    constraint transaction_counts_not_negative check (transactions >= 0)
);
select distribute_by_profile('transaction_counts');
do $$
begin
    alter table transaction_counts add constraint transaction_counts_of_profile
        foreign key (profile_id) references profiles (id) on delete cascade;
    -- The tables' owner is held to policies like everybody else.
    alter table transactions no force row level security;
    insert into transaction_counts (profile_id, transactions) select profile_id, count(*) from transactions group by profile_id;
    alter table transactions force row level security;
    alter table transaction_counts enable row level security;
    alter table transaction_counts force row level security;
    create policy transaction_counts_isolation on transaction_counts using (profile_id = current_profile_id());
end
$$;

-- Counts what the work of a transaction stored and deleted, at its end. The work is refused if it stored more than the profile has
-- room for. A number that is too low, because a process of an earlier release deleted rows, is not an error.
create function count_transactions(profile bigint, added bigint, most bigint) returns void
    language plpgsql
    as $$
declare
    counted bigint;
begin
    insert into transaction_counts as known (profile_id, transactions) values (profile, greatest(added, 0))
    on conflict (profile_id) do update set transactions = greatest(known.transactions + added, 0)
    returning transactions into counted;
    if added > 0 and counted > most then
        raise exception 'the profile has too many transactions' using constraint = 'transaction_counts_max';
    end if;
end
$$;
