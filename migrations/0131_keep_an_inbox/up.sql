-- Files that wait to be imported. What became of one follows from the import or the held statement that a confirm of it made, if that
-- is there: an undo removes it, and a redo brings it back under its id. So no foreign key ties the two.
create table inbox (
    profile_id bigint not null,
    id bigint generated always as identity,
    file_name text,
    bytes bytea not null,
    size integer generated always as (octet_length(bytes)) stored,
    sha256 bytea generated always as (sha256(bytes)) stored,
    received_at timestamptz not null,
    expires_on date not null,
    is_dismissed boolean not null default false,
    -- A confirm found nothing to insert.
    is_settled boolean not null default false,
    import_id bigint,
    pending_bill_id bigint,
    -- The reference of the account of its one statement.
    reference text,
    constraint inbox_pkey primary key (profile_id, id),
    constraint inbox_sha256_key unique (profile_id, sha256),
    constraint inbox_file_name_length check (char_length(file_name) between 1 and 255),
    constraint inbox_bytes_length check (octet_length(bytes) between 1 and 20971520),
    constraint inbox_reference_form check (reference ~ '^[0-9a-fA-F]{64}$')
);
select distribute_by_profile('inbox');
alter table inbox add constraint inbox_of_profile foreign key (profile_id) references profiles (id) on delete cascade;
create index inbox_by_pending_bill on inbox (profile_id, pending_bill_id) where pending_bill_id is not null;
alter table inbox enable row level security;
alter table inbox force row level security;
create policy inbox_isolation on inbox using (profile_id = current_profile_id());
