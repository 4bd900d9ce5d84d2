drop table left_out_rows;
