-- Distributes the tables by profile over the nodes of Citus, with the rows that they have: those that are not distributed yet.
-- Every key, foreign key and policy that a table has it has on each shard.

-- Tells the other nodes too: what set_config() sets is known to the coordinator alone.
create or replace function set_local(setting text, value text) returns text
    language plpgsql
    set citus.propagate_set_commands = 'local'
    as $$
begin
    execute format('set local %s = %L', setting, value);
    return value;
end
$$;

create or replace function distribute_by_profile(made regclass) returns void
    language sql
    as $$
        select create_distributed_table(made, 'profile_id', colocate_with => 'profiles')
        where not exists (select 1 from pg_dist_partition where logicalrelid = made)
    $$;

do $$
declare
    owned regclass[];
    whole regclass[];
    each regclass;
    made record;
begin
    -- What is unique over all profiles is found before its profile is known, and stays whole on the coordinator, with what
    -- refers to it: members, tokens, invitations, sessions, recovery codes.
    with recursive found (id) as (
        select indrelid from pg_index
        join pg_class on pg_class.oid = indrelid and relnamespace = 'public'::regnamespace
        join pg_attribute on attrelid = indrelid and attname = 'profile_id' and not attisdropped
        where indisunique and not (attnum = any (indkey::int2[]))
        union
        select conrelid from found join pg_constraint on confrelid = found.id and contype = 'f'
    )
    select array_agg(id::regclass) into whole from found;
    select coalesce(array_agg(pg_class.oid::regclass order by relname <> 'profiles', relname), '{}') into owned
    from pg_class
    join pg_attribute on attrelid = pg_class.oid and not attisdropped
        and attname = case relname when 'profiles' then 'id' else 'profile_id' end
    where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_class.oid <> all (whole)
        and not exists (select 1 from pg_dist_partition where logicalrelid = pg_class.oid);

    -- A foreign key is made again once both its tables are distributed.
    create temporary table remade on commit drop as
    select conrelid::regclass as of, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and (conrelid = any (owned) or confrelid = any (owned));
    for made in select * from remade loop
        execute format('alter table %s drop constraint %I', made.of, made.name);
    end loop;
    -- A constraint of ranges of one number, of which Citus does not see that they are the profile. Another one takes its place below.
    if 'credit_bills'::regclass = any (owned) then
        alter table credit_bills drop constraint if exists credit_bills_kept_apart;
    end if;
    foreach each in array owned loop
        -- The owner is to see the rows that it moves, and that foreign keys refer to.
        execute format('alter table %s no force row level security', each);
        if each = 'profiles'::regclass then
            perform create_distributed_table(each, 'id', colocate_with => 'none');
        else
            perform distribute_by_profile(each);
        end if;
    end loop;
    -- A table of the coordinator can refer to none that is distributed.
    for made in select * from remade where of <> all (whole) loop
        execute format('alter table %s add constraint %I %s', made.of, made.name, made.definition);
    end loop;
    foreach each in array owned loop
        execute format('alter table %s force row level security', each);
    end loop;
    drop table remade;

    -- What policies and statements ask.
    perform create_distributed_function('current_profile_id()');
    perform create_distributed_function('current_member_id()');
end
$$;

-- Two bills of a card have no day in common. An index of plain numbers and ranges needs the extension btree_gist, which whoever
-- creates the extension citus creates too (docs/scaling.md).
do $$
begin
    if exists (select 1 from pg_catalog.pg_extension where extname = 'btree_gist')
        and not exists (select 1 from pg_constraint
            where conrelid = 'credit_bills'::regclass and conname = 'credit_bills_kept_apart')
    then
        alter table credit_bills add constraint credit_bills_kept_apart exclude using gist (
            profile_id with =, account_id with =, daterange(period_start, period_end, '[]') with &&
        ) deferrable initially deferred;
    end if;
end
$$;
