alter table credit_bills drop constraint if exists credit_bills_kept_apart;
