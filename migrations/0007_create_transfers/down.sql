drop table transfers;
