alter table idempotency_keys drop column bytes_until;
