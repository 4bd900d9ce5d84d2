-- What was answered to requests that carried an Idempotency-Key, kept for a day: written in the
-- transaction of the request itself, so that effect and answer are there together or not at all.
create table idempotency_keys (
    profile_id bigint not null,
    key text not null,
    -- SHA-256 of what was asked: under the same key, another is refused.
    fingerprint bytea not null,
    status smallint not null,
    location text,
    body bytea not null,
    created_at timestamptz not null default now(),
    constraint idempotency_keys_pkey primary key (profile_id, key),
    constraint idempotency_keys_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint idempotency_keys_key_visible check (key ~ '^[!-~]{1,255}$'),
    constraint idempotency_keys_fingerprint_length check (octet_length(fingerprint) = 32),
    constraint idempotency_keys_status_success check (status between 200 and 299)
);

-- Whoever claims a key takes the profile's expired ones away.
create index idempotency_keys_by_age on idempotency_keys (profile_id, created_at);

alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy idempotency_keys_isolation on idempotency_keys using (profile_id = current_profile_id());
