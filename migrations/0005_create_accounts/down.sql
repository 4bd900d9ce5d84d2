drop table accounts;
