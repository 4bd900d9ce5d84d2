drop table bill_dates;
