drop table own_names;
