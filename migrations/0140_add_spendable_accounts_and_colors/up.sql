-- Whether the money of an account is free to spend. Null, as earlier releases store it: on current accounts only.
alter table accounts add column is_spendable boolean;
-- One of the names in config/category_colors.toml. Null: the page chooses.
alter table categories
    add column color text,
    add constraint categories_color_length check (char_length(color) between 1 and 40);
