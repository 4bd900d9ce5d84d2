//! A database with very many profiles of few rows each. They are copies of one profile that the use cases created.

use diesel::sql_types::BigInt;
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, sql_query};
use finance_adapters_postgres::PgStore;
use finance_domain::ProfileId;
use finance_domain::members::Member;

use crate::data::{Household, login_of, settle_small};
use crate::stage::execute;

/// The number of copies that send requests.
const ASKING: i64 = 10_000;

/// Copies all rows of a profile. It is enough to change the profile id, because each primary key begins with it. The values that
/// are unique over all profiles, a member's name and credential, are made from the id. The references of a copy are valid if
/// those of the template are valid.
const COPY: &str = "
do $$
declare
    template bigint := TEMPLATE;
    copied record;
begin
    set local session_replication_role = replica;
    for copied in
        select class.relname as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns,
            string_agg(case
                when attname in ('id', 'profile_id') and attname = key then 'n'
                when class.relname = 'members' and attname in ('name', 'name_key') then '''copy'' || n'
                when class.relname = 'members' and attname = 'credential_id' then 'lpad(to_hex(n), 32, ''0'')::uuid'
                else quote_ident(attname) end, ', ' order by attnum) as copies, key
        from pg_class as class
        join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = ''
        cross join lateral (select case class.relname when 'profiles' then 'id' else 'profile_id' end as key) as keys
        where class.relkind = 'r' and class.relnamespace = 'public'::regnamespace
            and exists (select from pg_attribute as of_key where of_key.attrelid = class.oid and of_key.attname = key)
        group by class.relname, key
    loop
        execute format('insert into %I (%s) overriding system value select %s from %I, generate_series(%s, %s) as n where %I = %s',
            copied.name, copied.columns, copied.copies, copied.name, template + 1, template + COUNT, copied.key, template);
    end loop;
end $$";

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Fills the store's database with `profiles` copies of a profile. Returns up to [`ASKING`] of them, evenly spread.
pub(crate) fn fill(store: &PgStore, admin_url: &str, profiles: i64) -> Vec<Household> {
    let (template, member) = settle_small(store, "template").unwrap();
    let copy = COPY.replace("TEMPLATE", &template.profile.to_string()).replace("COUNT", &profiles.to_string());
    execute(admin_url, &copy);
    execute(admin_url, "vacuum analyze");
    let mut connection = PgConnection::establish(admin_url).unwrap();
    let stored: Count = sql_query("select count(*) from profiles").get_result(&mut connection).unwrap();
    assert_eq!(stored.count, profiles + 1);
    let step = (profiles / ASKING).max(1);
    (0..ASKING.min(profiles))
        .map(|at| {
            let profile_id = ProfileId(template.profile + 1 + at * step);
            let token = login_of(Member { profile_id, ..member.clone() }).unwrap();
            Household { profile: profile_id.0, token, ..template.clone() }
        })
        .collect()
}
