-- The profiles that have something to forget: changes or files that are too old, or more entries than are kept. Looks at one
-- profile after the other, bound to it, as a request of its members is.
create function list_profiles_with_old_changes(before timestamptz, today date, entries_max bigint) returns table (id bigint)
    language plpgsql
    as $$
declare
    profile bigint;
begin
    for profile in select known.id from list_profiles() known loop
        perform set_local('finance.profile_id', profile::text);
        if exists (select from changes c where c.profile_id = profile and c.at < before)
            or exists (select from inbox i where i.profile_id = profile and i.expires_on < today)
            or (select coalesce(sum(c.entries + 1), 0) from changes c where c.profile_id = profile) > entries_max
        then
            id := profile;
            return next;
        end if;
    end loop;
    perform set_local('finance.profile_id', '');
end
$$;
