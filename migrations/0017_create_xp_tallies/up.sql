-- How often each action was awarded, so that neither caps, quests nor levels add up history.
-- The counts are those of the day, week (from Monday) and month that hold `last_day`.
create table xp_tallies (
    profile_id bigint not null,
    action text not null,
    last_day date not null,
    day_count bigint not null,
    week_count bigint not null,
    month_count bigint not null,
    total_count bigint not null,
    total_xp bigint not null,
    constraint xp_tallies_pkey primary key (profile_id, action),
    constraint xp_tallies_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade
);

alter table xp_tallies enable row level security;
alter table xp_tallies force row level security;
create policy xp_tallies_isolation on xp_tallies using (profile_id = current_profile_id());
