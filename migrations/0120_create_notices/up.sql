-- What a member is told. A member has one notice of a kind and subject. No foreign key ties it to the member: on Citus the tables are
-- on different nodes, so the statement that removes a member removes what it was told. The ids in a notice may be of rows that are
-- gone.
create table notices (
    profile_id bigint not null,
    id bigint generated always as identity,
    member_id bigint not null,
    kind text not null,
    subject text not null,
    created_at timestamptz not null default now(),
    read_at timestamptz,
    settled_at timestamptz,
    snoozed_until date,
    account_id bigint,
    bill_id bigint,
    category_id bigint,
    recurring_id bigint,
    transaction_id bigint,
    repeated_id bigint,
    name text,
    date date,
    month date,
    amount numeric(15, 2),
    before numeric(15, 2),
    percent smallint,
    days smallint,
    row_count integer,
    due_count integer,
    constraint notices_pkey primary key (profile_id, id),
    constraint notices_told_once unique (profile_id, member_id, kind, subject),
    constraint notices_subject_length check (char_length(subject) between 1 and 100),
    constraint notices_name_length check (char_length(name) between 1 and 255)
);
select distribute_by_profile('notices');
alter table notices
    add constraint notices_of_profile foreign key (profile_id) references profiles (id) on delete cascade;
create index notices_newest on notices (profile_id, member_id, id desc);
create index notices_open on notices (profile_id, member_id) where settled_at is null;
alter table notices enable row level security;
alter table notices force row level security;
create policy notices_isolation on notices using (profile_id = current_profile_id());

-- How a member is told. A member without a row has the defaults of the program. Times are minutes since midnight.
create table notice_preferences (
    profile_id bigint not null,
    member_id bigint not null,
    hour smallint not null,
    quiet_from smallint not null,
    quiet_to smallint not null,
    amounts boolean not null,
    language text not null,
    constraint notice_preferences_pkey primary key (profile_id, member_id),
    constraint notice_preferences_times check (
        hour between 0 and 1439 and quiet_from between 0 and 1439 and quiet_to between 0 and 1439)
);
select distribute_by_profile('notice_preferences');
alter table notice_preferences
    add constraint notice_preferences_of_profile foreign key (profile_id) references profiles (id) on delete cascade;
alter table notice_preferences enable row level security;
alter table notice_preferences force row level security;
create policy notice_preferences_isolation on notice_preferences using (profile_id = current_profile_id());

-- How a member is told of one kind. A kind without a row has the defaults of the program.
create table notice_kinds (
    profile_id bigint not null,
    member_id bigint not null,
    kind text not null,
    channels text[] not null,
    -- Days or percents.
    limits smallint[] not null,
    constraint notice_kinds_pkey primary key (profile_id, member_id, kind),
    constraint notice_kinds_channels_known check (channels <@ array['page', 'push', 'email']),
    constraint notice_kinds_limits_count check (cardinality(limits) <= 3)
);
select distribute_by_profile('notice_kinds');
alter table notice_kinds
    add constraint notice_kinds_of_profile foreign key (profile_id) references profiles (id) on delete cascade;
alter table notice_kinds enable row level security;
alter table notice_kinds force row level security;
create policy notice_kinds_isolation on notice_kinds using (profile_id = current_profile_id());
