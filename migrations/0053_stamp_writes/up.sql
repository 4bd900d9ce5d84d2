-- What the last write of a profile is known by. A transaction that writes gives the profile another one, so a copy of the database
-- where the profile has the same one has the same rows of it. Random, and not a number that counts: after a failover a copy of the
-- earlier primary may hold writes that the new one never had.
alter table profiles add column write_id uuid not null default gen_random_uuid();

-- Begins the work of a writer: locks the profile, so that its writers queue, and gives it the id of this write. The transaction is
-- bound to the profile for that; bind_profile and the others then prove the credential. Returns the profile.
create function begin_write(profile bigint) returns bigint
    language plpgsql
    as $$
begin
    perform set_config('finance.profile_id', profile::text, true);
    update profiles set write_id = gen_random_uuid() where id = profile;
    return profile;
end
$$;

-- The last write of the profile that was bound, which is the argument's work, and the member. Both are read after the proof.
create function last_write(bound text, out write_id uuid, out member_id bigint)
    language plpgsql
    as $$
begin
    select p.write_id into last_write.write_id from profiles p where p.id = current_profile_id();
    member_id := current_member_id();
end
$$;

-- Binds a transaction on a replica to a profile whose caller was proved on the primary, if it has that write as its last.
create function bind_replica(profile bigint, member bigint, last_write uuid) returns void
    language plpgsql
    as $$
begin
    perform set_config('finance.profile_id', profile::text, true);
    perform 1 from profiles p where p.id = profile and p.write_id = bind_replica.last_write;
    if not found then
        raise exception 'the replica does not have the last write of the profile' using constraint = 'profiles_write_current';
    end if;
    perform set_config('finance.member_id', coalesce(member::text, ''), true);
end
$$;
