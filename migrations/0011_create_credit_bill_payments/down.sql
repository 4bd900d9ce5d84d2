drop table credit_bill_payments;
