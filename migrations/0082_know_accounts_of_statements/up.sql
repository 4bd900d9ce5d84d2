-- By which accounts statements are known again: keyed hashes of the numbers that files name.
create table account_key_secrets (
    profile_id bigint not null,
    -- The key of the hashes.
    secret text not null,
    constraint account_key_secrets_pkey primary key (profile_id),
    constraint account_key_secrets_length check (char_length(secret) = 64)
);
select distribute_by_profile('account_key_secrets');
alter table account_key_secrets
    add constraint account_key_secrets_of_profile foreign key (profile_id) references profiles (id) on delete cascade;

create table account_keys (
    profile_id bigint not null,
    reference text not null,
    account_id bigint not null,
    -- The last characters of the number, for people.
    hint text not null,
    learned_at timestamptz not null default clock_timestamp(),
    constraint account_keys_pkey primary key (profile_id, reference),
    constraint account_keys_reference_length check (char_length(reference) = 64),
    constraint account_keys_hint_length check (char_length(hint) <= 4)
);
select distribute_by_profile('account_keys');
alter table account_keys
    add constraint account_keys_of_profile foreign key (profile_id) references profiles (id) on delete cascade,
    add constraint account_keys_of_account foreign key (profile_id, account_id)
        references accounts (profile_id, id) on delete cascade;
create index account_keys_by_account on account_keys (profile_id, account_id);

-- The accounts of an import of several.
create table import_accounts (
    profile_id bigint not null,
    import_id bigint not null,
    account_id bigint not null,
    constraint import_accounts_pkey primary key (profile_id, import_id, account_id)
);
select distribute_by_profile('import_accounts');
alter table import_accounts
    add constraint import_accounts_of_profile foreign key (profile_id) references profiles (id) on delete cascade,
    add constraint import_accounts_of_import foreign key (profile_id, import_id)
        references imports (profile_id, id) on delete cascade,
    add constraint import_accounts_of_account foreign key (profile_id, account_id)
        references accounts (profile_id, id) on delete cascade;
create index import_accounts_by_account on import_accounts (profile_id, account_id);

do $$
begin
    -- The tables' owner is held to policies like everybody else.
    alter table profiles no force row level security;
    insert into account_key_secrets (profile_id, secret)
    select id, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') from profiles;
    alter table profiles force row level security;
    alter table account_key_secrets enable row level security;
    alter table account_key_secrets force row level security;
    create policy account_key_secrets_isolation on account_key_secrets using (profile_id = current_profile_id());
    alter table account_keys enable row level security;
    alter table account_keys force row level security;
    create policy account_keys_isolation on account_keys using (profile_id = current_profile_id());
    alter table import_accounts enable row level security;
    alter table import_accounts force row level security;
    create policy import_accounts_isolation on import_accounts using (profile_id = current_profile_id());
end
$$;
