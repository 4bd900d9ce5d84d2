-- What accounts held at the end of days, as people and files say it. An account whose opening balance follows one has at least one
-- that a person said: the one with the lowest id.
create table anchors (
    profile_id bigint not null,
    id bigint generated always as identity,
    account_id bigint not null,
    -- The import whose file says it. Null if a person does.
    import_id bigint,
    date date not null,
    amount numeric(12, 2) not null,
    -- Income minus expenses of the account's rows up to the date. Every statement that writes rows keeps it.
    rows_total numeric(30, 2) not null default 0,
    constraint anchors_pkey primary key (profile_id, id)
);
select distribute_by_profile('anchors');
alter table anchors
    add constraint anchors_of_profile foreign key (profile_id) references profiles (id) on delete cascade,
    add constraint anchors_of_account foreign key (profile_id, account_id)
        references accounts (profile_id, id) on delete cascade,
    add constraint anchors_of_import foreign key (profile_id, import_id)
        references imports (profile_id, id) on delete cascade;
create unique index anchors_said_once on anchors (profile_id, account_id, date, import_id) nulls not distinct;
create index anchors_by_people on anchors (profile_id, account_id, id) where import_id is null;
create index anchors_by_import on anchors (profile_id, import_id) where import_id is not null;

alter table anchors enable row level security;
alter table anchors force row level security;
create policy anchors_isolation on anchors using (profile_id = current_profile_id());

-- Finds the opening balance of an account without a look at its other rows.
create index transactions_openings on transactions (profile_id, account_id) where source = 'opening_balance';
