create table categories (
    profile_id bigint not null,
    id bigint generated always as identity,
    name text not null,
    name_key text not null,
    is_tax boolean not null default false,
    is_standard boolean not null default false,
    monthly_budget numeric(12, 2),
    constraint categories_pkey primary key (profile_id, id),
    constraint categories_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint categories_name_key unique (profile_id, name_key),
    constraint categories_name_length check (char_length(name) between 1 and 100),
    constraint categories_budget_range check (monthly_budget >= 0)
);

alter table categories enable row level security;
alter table categories force row level security;
create policy categories_isolation on categories using (profile_id = current_profile_id());
