drop function list_profiles_due(timestamptz, date, integer);

create or replace function begin_write(profile bigint) returns bigint
    language plpgsql
    as $$
declare
    drawn constant uuid := gen_random_uuid();
begin
    perform set_local('finance.profile_id', profile::text);
    update profiles set write_id = drawn where id = profile;
    return profile;
end
$$;

drop index profiles_notices_on;
alter table profiles drop column notices_on;
drop table notice_deliveries;
drop table notice_addresses;
drop table push_devices;
