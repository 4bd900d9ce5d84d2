-- The day to which the profile was brought up: its bills are those of this day. Null: not yet, which a migration also sets when it
-- changes what bills are made of.
alter table profiles add column upkept_on date;
