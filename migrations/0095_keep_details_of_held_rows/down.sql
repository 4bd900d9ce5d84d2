drop table pending_bill_lines;
alter table pending_bill_rows
    drop column note,
    drop column tags;
