-- What a request changed, so that it can be undone. Kept for some days; in backups, but in no export of a profile.
create table changes (
    profile_id bigint not null,
    id bigint generated always as identity,
    at timestamptz not null,
    -- The day of the service then.
    day date not null,
    kind text not null,
    subject text,
    -- Null: the service itself. The member may be gone.
    member_id bigint,
    token_id bigint,
    -- The change that this one undid, and the one that undid it.
    undoes bigint,
    undone_by bigint,
    -- Of each noun: how many rows were created, changed and removed.
    nouns text[] not null,
    created integer[] not null,
    changed integer[] not null,
    removed integer[] not null,
    entries integer not null,
    constraint changes_pkey primary key (profile_id, id),
    constraint changes_kind_length check (char_length(kind) between 1 and 40)
);
select distribute_by_profile('changes');
create index changes_by_time on changes (profile_id, at);
create index changes_that_undo on changes (profile_id, id) where undoes is not null;

-- The rows of a change: of a changed row the columns as they were, of a removed one all of it, of the created ones of a table their ids.
create table change_entries (
    profile_id bigint not null,
    change_id bigint not null,
    position integer not null,
    table_name text not null,
    -- 'c' created, 'u' changed, 'd' removed.
    op "char" not null,
    -- Whether the service derived the row from others.
    is_derived boolean not null,
    -- The row's own id, or that of the row that it is a part of.
    row_id bigint,
    ids int8multirange,
    -- The key of a part.
    key text[],
    columns jsonb,
    constraint change_entries_pkey primary key (profile_id, change_id, position)
);
select distribute_by_profile('change_entries');
create index change_entries_by_row on change_entries (profile_id, row_id);
create index change_entries_created on change_entries (profile_id, change_id) where ids is not null;
alter table changes
    add constraint changes_of_profile foreign key (profile_id) references profiles (id) on delete cascade;
alter table change_entries
    add constraint change_entries_of_change foreign key (profile_id, change_id)
        references changes (profile_id, id) on delete cascade;

alter table changes enable row level security;
alter table changes force row level security;
create policy changes_isolation on changes using (profile_id = current_profile_id());
alter table change_entries enable row level security;
alter table change_entries force row level security;
create policy change_entries_isolation on change_entries using (profile_id = current_profile_id());

-- The change that a repeated request made.
alter table idempotency_keys add column change_id bigint;
