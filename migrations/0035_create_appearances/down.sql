drop table appearances;
