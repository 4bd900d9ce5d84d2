alter table settings drop column second_factor_days, drop column show_character;
