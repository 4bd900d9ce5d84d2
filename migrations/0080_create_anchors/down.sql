drop index transactions_openings;
drop table anchors;
