-- What was noted about an item for one month. A confirmation is gone with its transaction.
create table recurring_marks (
    profile_id bigint not null,
    recurring_id bigint not null,
    month date not null,
    mark text not null,
    transaction_id bigint,
    constraint recurring_marks_pkey primary key (profile_id, recurring_id, month),
    constraint recurring_marks_recurring_fkey foreign key (profile_id, recurring_id) references recurring (profile_id, id) on delete cascade,
    constraint recurring_marks_transaction_fkey foreign key (profile_id, transaction_id) references transactions (profile_id, id) on delete cascade,
    constraint recurring_marks_transaction_key unique (profile_id, transaction_id),
    constraint recurring_marks_month_first check (extract(day from month) = 1),
    constraint recurring_marks_mark_known check (mark in ('late', 'ignored', 'confirmed')),
    constraint recurring_marks_confirmed_by check ((mark = 'confirmed') = (transaction_id is not null))
);
create index recurring_marks_by_month on recurring_marks (profile_id, month);

alter table recurring_marks enable row level security;
alter table recurring_marks force row level security;
create policy recurring_marks_isolation on recurring_marks using (profile_id = current_profile_id());
