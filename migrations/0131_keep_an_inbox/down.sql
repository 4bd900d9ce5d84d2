drop table inbox;
