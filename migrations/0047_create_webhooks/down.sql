drop function list_profiles_with_due_webhooks(timestamptz, integer);
drop function store_notices(bigint, text[], text[], text[], bigint[], date[]);
drop index profiles_webhooks_due;
alter table profiles
    drop column webhooks_leased_until,
    drop column webhooks_due_at;
drop table webhook_deliveries;
drop table webhooks;
