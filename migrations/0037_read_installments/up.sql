-- Reads the instalments in the descriptions of stored rows. The rule is in Rust, so the program does it in the transaction of
-- this migration (`adapters-postgres/src/migrations/read_installments.rs`). Run by another tool, it reads nothing.
select 1;
