drop table rejected_transfers;
