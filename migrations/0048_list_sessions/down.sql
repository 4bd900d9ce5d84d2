drop table sessions;
