-- How a profile's figure looks, as ids of the catalog; no row where nothing was chosen.
create table appearances (
    profile_id bigint not null,
    skin text not null,
    hair_style text not null,
    body text not null,
    constraint appearances_pkey primary key (profile_id),
    constraint appearances_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint appearances_ids_length check (
        char_length(skin) between 1 and 50 and char_length(hair_style) between 1 and 50 and char_length(body) between 1 and 50)
);

alter table appearances enable row level security;
alter table appearances force row level security;
create policy appearances_isolation on appearances using (profile_id = current_profile_id());
