delete from pending_bill_rows where is_repeated;
alter table pending_bill_rows drop column is_repeated;
