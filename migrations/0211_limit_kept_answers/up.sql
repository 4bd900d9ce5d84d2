-- What the answers of the profile take, from the first one that was kept up to this one. So the newest ones that may be kept are known
-- without adding up, and the older ones are deleted by the statement that stores an answer.
alter table idempotency_keys add column bytes_until bigint not null default 0;
create index idempotency_keys_by_size on idempotency_keys (profile_id, bytes_until);
