alter table profiles drop column transfers_sought_until;
drop index transactions_edited_unsought;
drop index transactions_maybe_transfers;
alter table transactions drop column may_be_transfer;
