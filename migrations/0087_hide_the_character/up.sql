-- Whether the pages show the character, and after how many days a renewal of a login takes a code of the second factor again.
alter table settings
    add column show_character boolean not null default true,
    add column second_factor_days smallint,
    add constraint settings_second_factor_days_range check (second_factor_days between 1 and 90);
