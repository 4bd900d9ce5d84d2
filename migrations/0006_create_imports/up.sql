-- The log of the imports that inserted something.
create table imports (
    profile_id bigint not null,
    id bigint generated always as identity,
    file_name text,
    format text not null,
    account_id bigint,
    inserted integer not null,
    skipped integer not null,
    created_at timestamptz not null default now(),
    constraint imports_pkey primary key (profile_id, id),
    constraint imports_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint imports_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id)
        on delete set null (account_id),
    constraint imports_format_known check (format in ('ofx', 'csv')),
    constraint imports_file_name_length check (char_length(file_name) <= 255),
    constraint imports_inserted_something check (inserted > 0 and skipped >= 0)
);

create index imports_account on imports (profile_id, account_id);

alter table imports enable row level security;
alter table imports force row level security;
create policy imports_isolation on imports using (profile_id = current_profile_id());
