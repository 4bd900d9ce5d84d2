-- With the profile, at once: only so are they gone when the categories of a deleted profile are checked. The key is checked by a query of
-- the owner, from whom the policy of profiles hides them.
alter table profiles no force row level security;
alter table pending_bill_rows
    add constraint pending_bill_rows_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade;
alter table profiles force row level security;
