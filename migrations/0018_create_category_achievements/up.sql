-- The categories whose budget was kept. One not kept yet has no row: it is a category with a budget.
create table category_achievements (
    profile_id bigint not null,
    category_id bigint not null,
    earned_at timestamptz not null default now(),
    constraint category_achievements_pkey primary key (profile_id, category_id),
    constraint category_achievements_category_fkey foreign key (profile_id, category_id) references categories (profile_id, id) on delete cascade
);

alter table category_achievements enable row level security;
alter table category_achievements force row level security;
create policy category_achievements_isolation on category_achievements using (profile_id = current_profile_id());
