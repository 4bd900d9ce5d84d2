drop table repeated_rows;
