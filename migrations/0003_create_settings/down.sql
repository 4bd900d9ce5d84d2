drop table settings;
