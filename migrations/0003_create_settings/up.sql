-- What a profile chose; no row where it chose nothing.
create table settings (
    profile_id bigint not null,
    savings_goal_pct numeric(5, 2) not null,
    constraint settings_pkey primary key (profile_id),
    constraint settings_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint settings_savings_goal_range check (savings_goal_pct between 0 and 100)
);

alter table settings enable row level security;
alter table settings force row level security;
create policy settings_isolation on settings using (profile_id = current_profile_id());
