drop table imports;
