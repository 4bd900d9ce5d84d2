-- Where a member is told: devices, by their push services. An endpoint is a browser's, so a profile has it once. No foreign key ties a
-- device to its member or session: on Citus these are on another node, so the statements that remove them remove the devices.
create table push_devices (
    profile_id bigint not null,
    id bigint generated always as identity,
    member_id bigint not null,
    -- The login that signed up. Null for one of a release that stored no sessions, or of a token.
    session_id bigint,
    endpoint text not null,
    -- The device's public key and secret, by which messages are encrypted.
    p256dh bytea not null,
    auth bytea not null,
    client text,
    created_at timestamptz not null default now(),
    failure text,
    constraint push_devices_pkey primary key (profile_id, id),
    constraint push_devices_endpoint_key unique (profile_id, endpoint),
    constraint push_devices_endpoint_length check (char_length(endpoint) between 1 and 2000),
    constraint push_devices_client_length check (char_length(client) between 1 and 255),
    constraint push_devices_p256dh_length check (octet_length(p256dh) = 65),
    constraint push_devices_auth_length check (octet_length(auth) = 16)
);
select distribute_by_profile('push_devices');
alter table push_devices
    add constraint push_devices_of_profile foreign key (profile_id) references profiles (id) on delete cascade;
create index push_devices_by_member on push_devices (profile_id, member_id);
create index push_devices_by_session on push_devices (profile_id, session_id) where session_id is not null;
alter table push_devices enable row level security;
alter table push_devices force row level security;
create policy push_devices_isolation on push_devices using (profile_id = current_profile_id());

-- The e-mail address of a member, and the code that confirms it. The row stays when the address goes: the codes of a day are counted.
create table notice_addresses (
    profile_id bigint not null,
    member_id bigint not null,
    address text,
    is_confirmed boolean not null,
    code_hash text,
    code_expires_at timestamptz,
    code_guesses smallint not null,
    codes_on date,
    codes smallint not null,
    constraint notice_addresses_pkey primary key (profile_id, member_id),
    constraint notice_addresses_address_length check (char_length(address) between 3 and 254),
    constraint notice_addresses_confirmed check (address is not null or not is_confirmed),
    constraint notice_addresses_code check ((code_hash is null) = (code_expires_at is null))
);
select distribute_by_profile('notice_addresses');
alter table notice_addresses
    add constraint notice_addresses_of_profile foreign key (profile_id) references profiles (id) on delete cascade;
alter table notice_addresses enable row level security;
alter table notice_addresses force row level security;
create policy notice_addresses_isolation on notice_addresses using (profile_id = current_profile_id());

-- The outbox of notices: a row for each notice and device or address of its member. It stays as long as its notice, so that nothing is
-- sent twice. Tests and codes go once they are sent.
create table notice_deliveries (
    profile_id bigint not null,
    id bigint generated always as identity,
    member_id bigint not null,
    -- Null: a test of the device, or a code.
    notice_id bigint,
    -- 0: the member's address. A foreign key of two columns cannot leave it out, so the statement that removes a device removes these.
    device_id bigint not null,
    code text,
    state text not null default 'pending',
    attempts integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    -- The end of its attempts, and the day of the first one. Null before.
    expires_at timestamptz,
    sent_on date,
    -- The day on which a notice that was put off is sent again.
    again_on date,
    delivered_at timestamptz,
    failure text,
    constraint notice_deliveries_pkey primary key (profile_id, id),
    constraint notice_deliveries_told_once unique (profile_id, notice_id, device_id),
    constraint notice_deliveries_state_known check (state in ('pending', 'delivered', 'failed', 'settled', 'left_out'))
);
select distribute_by_profile('notice_deliveries');
alter table notice_deliveries
    add constraint notice_deliveries_of_profile foreign key (profile_id) references profiles (id) on delete cascade,
    add constraint notice_deliveries_of_notice foreign key (profile_id, notice_id)
        references notices (profile_id, id) on delete cascade;
create index notice_deliveries_pending on notice_deliveries (profile_id, next_attempt_at) where state = 'pending';
create index notice_deliveries_sent on notice_deliveries (profile_id, member_id, sent_on) where sent_on is not null;
create index notice_deliveries_by_device on notice_deliveries (profile_id, device_id);
alter table notice_deliveries enable row level security;
alter table notice_deliveries force row level security;
create policy notice_deliveries_isolation on notice_deliveries using (profile_id = current_profile_id());

-- The day for which somebody last looked at what the members are to be told. Null where no member has a device or address. A write
-- sets it to -infinity, so that the profile is due. `webhooks_due_at` is when the next delivery of either outbox is due.
alter table profiles add column notices_on date;
create index profiles_notices_on on profiles (notices_on) where notices_on is not null;

create or replace function begin_write(profile bigint) returns bigint
    language plpgsql
    as $$
declare
    drawn constant uuid := gen_random_uuid();
begin
    perform set_local('finance.profile_id', profile::text);
    update profiles set write_id = drawn, notices_on = case when notices_on is not null then '-infinity'::date end
    where id = profile;
    return profile;
end
$$;

-- The profiles whose turn it is: a delivery is due, or nobody has looked since a write or on that day.
create function list_profiles_due(at_instant timestamptz, on_day date, most integer) returns table (id bigint)
    language plpgsql
    as $$
begin
    perform set_local('finance.lists_profiles', 'on');
    return query
        select due.id from (
            (select profiles.id, webhooks_due_at as due_at from profiles
            where webhooks_due_at <= at_instant and (webhooks_leased_until is null or webhooks_leased_until <= at_instant)
            order by webhooks_due_at limit most)
            union all
            (select profiles.id, at_instant as due_at from profiles
            where (notices_on < on_day or notices_on > on_day)
                and (webhooks_leased_until is null or webhooks_leased_until <= at_instant)
            limit most)
        ) as due
        group by due.id order by min(due_at) limit most;
    perform set_local('finance.lists_profiles', '');
end
$$;
