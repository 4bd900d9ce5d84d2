-- The names under which a household's people are known to their banks.
create table own_names (
    profile_id bigint not null,
    position smallint not null,
    name text not null,
    constraint own_names_pkey primary key (profile_id, position),
    constraint own_names_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint own_names_position_range check (position between 0 and 4),
    constraint own_names_name_length check (char_length(name) between 6 and 100)
);

alter table own_names enable row level security;
alter table own_names force row level security;
create policy own_names_isolation on own_names using (profile_id = current_profile_id());
