-- Turns every table of a migrated schema that belongs to profiles into hash partitions by profile_id, on plain
-- PostgreSQL: the same names, keys, foreign keys, indexes, policies and rows. What cannot be done so cannot be
-- distributed by profile_id on Citus either, so this is the proof that nothing in the schema stands in the way.
--
-- Run as the owner of the tables, or as a superuser: psql -v ON_ERROR_STOP=1 -1 -f by_profile.sql DATABASE
do $$
declare
    partitions constant int := 4;
    owned text[];
    each text;
    part int;
    stored text;
    ids bigint;
    made record;
begin
    select array_agg(relname::text order by relname) into owned
    from pg_class
    join pg_attribute on attrelid = pg_class.oid and attname = 'profile_id' and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind = 'r'
        -- What is unique across profiles is found before its profile is known, as profiles are, and stays whole: members,
        -- tokens, invitations, sessions.
        and not exists (
            select from pg_index where indrelid = pg_class.oid and indisunique and not (attnum = any(indkey::int2[]))
        );

    -- What hangs on the tables, as the statements that make it. Kinds in the order in which they can be made again.
    create temporary table remade on commit drop as
    select 1 as kind, conrelid::regclass::text as of, conname::text as name,
        format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as statement
    from pg_constraint
    where conrelid::regclass::text = any(owned) and contype in ('p', 'u', 'c')
    union all
    select 2, indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    from pg_index
    where indrelid::regclass::text = any(owned)
        and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
    union all
    select 3, conrelid::regclass::text, conname::text,
        format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint
    where conrelid::regclass::text = any(owned) and contype = 'f'
    union all
    select 4, polrelid::regclass::text, polname::text,
        format('create policy %I on %s using (%s)', polname, polrelid::regclass, pg_get_expr(polqual, polrelid))
    from pg_policy
    where polrelid::regclass::text = any(owned) and polcmd = '*' and polwithcheck is null
    union all
    select 5, pg_class.oid::regclass::text, 'owner', format('alter table %s owner to %I', pg_class.oid::regclass, rolname)
    from pg_class
    join pg_roles on pg_roles.oid = relowner
    where pg_class.oid::regclass::text = any(owned)
    union all
    select 6, pg_class.oid::regclass::text, privilege_type,
        format('grant %s on %s to %I', privilege_type, pg_class.oid::regclass, rolname)
    from pg_class
    cross join lateral aclexplode(relacl)
    join pg_roles on pg_roles.oid = grantee
    where pg_class.oid::regclass::text = any(owned) and grantee <> relowner
    union all
    -- PostgreSQL 15 has no exclusion constraint of a partitioned table. One on each partition holds the same, as rows of one profile
    -- are in one partition.
    select 7, conrelid::regclass::text, conname::text,
        format('alter table %%I add constraint %%I %s', pg_get_constraintdef(oid))
    from pg_constraint
    where conrelid::regclass::text = any(owned) and contype = 'x';

    if (select count(*) from pg_policy where polrelid::regclass::text = any(owned)) <> (select count(*) from remade where kind = 4) then
        raise exception 'a policy is of a form that is not known here';
    end if;

    foreach each in array owned loop
        execute format('alter table %I rename to %I', each, each || '_plain');
        -- The names of keys and sequences are needed again.
        for made in
            select conname from pg_constraint where conrelid = (each || '_plain')::regclass and contype = 'f'
        loop
            execute format('alter table %I drop constraint %I', each || '_plain', made.conname);
        end loop;
    end loop;
    foreach each in array owned loop
        execute format(
            'create table %I (like %I including defaults including identity including generated) partition by hash (profile_id)',
            each, each || '_plain');
        for part in 0 .. partitions - 1 loop
            execute format('create table %I partition of %I for values with (modulus %s, remainder %s)',
                each || '_' || part, each, partitions, part);
            -- Whoever names a partition sees no more of it than by way of its table: nothing.
            execute format('alter table %I enable row level security', each || '_' || part);
            execute format('alter table %I force row level security', each || '_' || part);
        end loop;
        select string_agg(format('%I', attname), ', ' order by attnum) into stored
        from pg_attribute
        where attrelid = each::regclass and attnum > 0 and not attisdropped and attgenerated = '';
        execute format('insert into %I (%s) overriding system value select %s from %I', each, stored, stored, each || '_plain');
        for made in
            select attname from pg_attribute where attrelid = each::regclass and attidentity <> ''
        loop
            execute format('select max(%I) from %I', made.attname, each) into ids;
            perform setval(pg_get_serial_sequence(each, made.attname), coalesce(ids, 1), ids is not null);
        end loop;
        execute format('drop table %I cascade', each || '_plain');
    end loop;
    for made in select statement from remade where kind < 7 order by kind, of, name loop
        execute made.statement;
    end loop;
    for made in select of, name, statement from remade where kind = 7 loop
        for part in 0 .. partitions - 1 loop
            execute format(made.statement, made.of || '_' || part, made.name || '_' || part);
        end loop;
    end loop;
    -- A violated key is told by its name in the partition: that of the table's key, with the partition's number behind it,
    -- as Citus names those of its shards.
    for made in
        select child.relname as name, format('%s_%s', parent.relname, substring(part_of.relname from '\d+$')) as becomes
        from pg_inherits
        join pg_class parent on parent.oid = inhparent and parent.relkind = 'I'
        join pg_class child on child.oid = inhrelid
        join pg_index on indexrelid = child.oid
        join pg_class part_of on part_of.oid = indrelid
    loop
        execute format('alter index %I rename to %I', made.name, made.becomes);
    end loop;
    foreach each in array owned loop
        execute format('alter table %I enable row level security', each);
        execute format('alter table %I force row level security', each);
        for part in 0 .. partitions - 1 loop
            execute format('alter table %I owner to %I', each || '_' || part,
                (select rolname from pg_class join pg_roles on pg_roles.oid = relowner where pg_class.oid = each::regclass));
        end loop;
    end loop;
end
$$;
