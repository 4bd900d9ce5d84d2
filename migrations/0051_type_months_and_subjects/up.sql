-- The rules of single columns of what every insert of a transaction writes: as types they are read once a connection, and as
-- checks in every statement.
create domain month_start as date constraint month_start_first check (extract(day from value) = 1);
create domain kind_of_account as text
    constraint kind_of_account_known check (value in ('current', 'savings', 'investment', 'credit'));
create domain xp_subject as text constraint xp_subject_length check (char_length(value) between 1 and 200);
create domain xp_amount as integer constraint xp_amount_positive check (value > 0);

alter table month_totals
    drop constraint month_totals_month_first,
    alter column month type month_start;
alter table net_worth_months
    drop constraint net_worth_months_month_first,
    drop constraint net_worth_months_kind_known,
    alter column month type month_start,
    alter column kind type kind_of_account;
alter table xp_events
    drop constraint xp_events_subject_length,
    drop constraint xp_events_xp_positive,
    alter column subject type xp_subject,
    alter column xp type xp_amount;
