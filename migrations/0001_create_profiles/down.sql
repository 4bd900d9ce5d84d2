drop function bind_profile;
drop table profiles;
drop function current_profile_id;
