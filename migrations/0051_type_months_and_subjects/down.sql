alter table xp_events
    alter column subject type text,
    alter column xp type integer,
    add constraint xp_events_subject_length check (char_length(subject) between 1 and 200),
    add constraint xp_events_xp_positive check (xp > 0);
alter table net_worth_months
    alter column month type date,
    alter column kind type text,
    add constraint net_worth_months_month_first check (extract(day from month) = 1),
    add constraint net_worth_months_kind_known check (kind in ('current', 'savings', 'investment', 'credit'));
alter table month_totals
    alter column month type date,
    add constraint month_totals_month_first check (extract(day from month) = 1);
drop domain xp_amount;
drop domain xp_subject;
drop domain kind_of_account;
drop domain month_start;
