-- What was earned, once per subject: the key is what makes an award impossible to repeat.
create table xp_events (
    profile_id bigint not null,
    id bigint generated always as identity,
    action text not null,
    -- The content that earned it, not an id: what is deleted and made again is the same subject.
    subject text not null,
    xp integer not null,
    -- The calendar day of the service's clock, which daily caps and quests count by.
    day date not null,
    created_at timestamptz not null default now(),
    constraint xp_events_pkey primary key (profile_id, id),
    constraint xp_events_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint xp_events_subject_key unique (profile_id, action, subject),
    constraint xp_events_subject_length check (char_length(subject) between 1 and 200),
    constraint xp_events_xp_positive check (xp > 0)
);

alter table xp_events enable row level security;
alter table xp_events force row level security;
create policy xp_events_isolation on xp_events using (profile_id = current_profile_id());
