-- The days a card had before they were replaced. A card whose days never changed has none here.
create table card_cycles (
    profile_id bigint not null,
    account_id bigint not null,
    replaced_on date not null,
    closing_day smallint not null,
    due_day smallint not null,
    constraint card_cycles_pkey primary key (profile_id, account_id, replaced_on),
    constraint card_cycles_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id) on delete cascade,
    constraint card_cycles_closing_day_range check (closing_day between 1 and 31),
    constraint card_cycles_due_day_range check (due_day between 1 and 31)
);

alter table card_cycles enable row level security;
alter table card_cycles force row level security;
create policy card_cycles_isolation on card_cycles using (profile_id = current_profile_id());
