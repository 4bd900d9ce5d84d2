drop index transactions_filed;

drop index transactions_by_description;
create index transactions_by_description on transactions
    (profile_id,
    (case when statement_description_normalized is null then description_normalized
        else statement_description_normalized end),
    date desc, id desc)
    where category_id is not null;

alter table pending_bill_rows drop column statement_description;

drop table rule_actions;
drop table rule_conditions;
drop table rules;
