alter table accounts
    drop column changed_bill_due_date,
    drop column changed_bill_before,
    drop column changed_bill_after;
