drop table pending_bills;
