drop function list_profiles_with_old_changes(timestamptz, date, bigint);
