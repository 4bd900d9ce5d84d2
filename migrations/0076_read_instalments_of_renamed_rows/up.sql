-- The program reads the descriptions that statements gave to renamed rows on cards (see read_installments.rs).
select 1;
