drop table pending_bill_rows;
