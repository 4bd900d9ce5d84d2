-- What the service kept becomes an ordinary opening balance.
alter table accounts
    drop column opening_is_said,
    drop column opening_is_derived,
    drop column opening_follows;
