drop table recurring;
