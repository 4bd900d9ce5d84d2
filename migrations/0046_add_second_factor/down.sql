drop table recovery_codes;
alter table members
    drop column factor_step,
    drop column factor_since,
    drop column factor_secret;
