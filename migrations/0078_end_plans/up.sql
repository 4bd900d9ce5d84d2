-- Instalments of plans of which a person said that nothing more comes.
create table ended_plans (
    profile_id bigint not null,
    transaction_id bigint not null,
    constraint ended_plans_pkey primary key (profile_id, transaction_id)
);
select distribute_by_profile('ended_plans');
do $$
begin
    alter table ended_plans add constraint ended_plans_transaction_fkey foreign key (profile_id, transaction_id)
        references transactions (profile_id, id) on delete cascade;
    alter table ended_plans enable row level security;
    alter table ended_plans force row level security;
    create policy ended_plans_isolation on ended_plans using (profile_id = current_profile_id());
end
$$;
