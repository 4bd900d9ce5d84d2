-- What a profile wears, one of each kind; which cosmetics there are is in the catalog.
create table equipped_cosmetics (
    profile_id bigint not null,
    kind text not null,
    cosmetic_id bigint not null,
    constraint equipped_cosmetics_pkey primary key (profile_id, kind),
    constraint equipped_cosmetics_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint equipped_cosmetics_kind_known check (kind in ('hair', 'shirt', 'pants', 'shoes'))
);

alter table equipped_cosmetics enable row level security;
alter table equipped_cosmetics force row level security;
create policy equipped_cosmetics_isolation on equipped_cosmetics using (profile_id = current_profile_id());
