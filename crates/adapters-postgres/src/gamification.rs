//! XP, achievements of categories, and what is worn.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Integer, Nullable, Text, Timestamptz};
use diesel::{QueryableByName, sql_query};
use finance_domain::gamification::{
    Action, Award, BudgetedCategory, CosmeticKind, Equipped, GamificationRepo, Standing, Tally, XpEvent,
};
use finance_domain::{CategoryId, CosmeticId, Error, Month, Result, Word, XpEventId};
use time::{Date, OffsetDateTime};

use crate::constraints::error;
use crate::repo::PgRepo;
use crate::schema::{equipped_cosmetics, xp_events};
use crate::statement::Keep;

/// The awards of the arrays $2 to $5 that are new and within the caps of the day $6: those of one
/// action in the order given, as many as the day still takes.
const FRESH_AWARDS: &str = "with wanted as (
        select * from unnest($2::text[], $3::text[], $4::integer[], $5::integer[])
            with ordinality as awards (action, subject, xp, daily_cap, position)
    ), unknown as (
        select wanted.*, row_number() over (partition by wanted.action order by wanted.position) as nth
        from wanted
        where not exists (select from xp_events known
            where known.profile_id = $1 and known.action = wanted.action and known.subject = wanted.subject)
    ), fresh as (
        select unknown.*
        from unknown
        left join xp_tallies tally
            on tally.profile_id = $1 and tally.action = unknown.action and tally.last_day = $6
        where coalesce(tally.day_count, 0) + unknown.nth <= unknown.daily_cap
    )";

/// The categories with a budget, and spending in the month that begins on $2 that is within it, not noted before.
const BUDGETS_KEPT: &str = "select category.profile_id, category.id, category.name
    from month_totals spent
    join categories category on category.profile_id = $1 and category.id = spent.category_id
    where spent.profile_id = $1 and spent.month = $2
        and spent.expenses > 0 and spent.expenses <= category.monthly_budget
        and not exists (select from category_achievements earned
            where earned.profile_id = $1 and earned.category_id = category.id)";

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct DueRow {
    #[diesel(sql_type = Bool)]
    due: bool,
}

/// A tally, or an award that was given.
#[derive(QueryableByName)]
struct StandingRow {
    #[diesel(sql_type = Text)]
    action: String,
    #[diesel(sql_type = Nullable<Text>)]
    subject: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    created_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<SqlDate>)]
    last_day: Option<Date>,
    #[diesel(sql_type = BigInt)]
    day_count: i64,
    #[diesel(sql_type = BigInt)]
    week_count: i64,
    #[diesel(sql_type = BigInt)]
    month_count: i64,
    #[diesel(sql_type = BigInt)]
    total_count: i64,
    #[diesel(sql_type = BigInt)]
    total_xp: i64,
}

#[derive(QueryableByName)]
struct BudgetedRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    earned_at: Option<OffsetDateTime>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = xp_events)]
struct XpEventRow {
    id: i64,
    action: String,
    subject: String,
    xp: i32,
    created_at: OffsetDateTime,
}

impl From<XpEventRow> for XpEvent {
    fn from(row: XpEventRow) -> Self {
        XpEvent {
            id: XpEventId(row.id),
            action: row.action,
            subject: row.subject,
            xp: u32::try_from(row.xp).unwrap_or(0),
            created_at: row.created_at,
        }
    }
}

/// XP and caps are a catalog's, far below the bound.
fn integer(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

fn column<'a, T>(awards: &'a [Award], value: impl Fn(&'a Award) -> T) -> Vec<T> {
    awards.iter().map(value).collect()
}

impl GamificationRepo for PgRepo<'_> {
    fn award_insert(&mut self, awards: &[Award], today: Date) -> Result<usize> {
        // Writers of one profile queue, so what is unknown stays so; the key holds whatever happens.
        let inserted: Vec<NameRow> = sql_query(format!(
            "{FRESH_AWARDS}, given as (
                insert into xp_events (profile_id, action, subject, xp, day)
                select $1, action, subject, xp, $6 from fresh order by position
                on conflict do nothing
                returning action, subject, xp
            ), tallied as (
                insert into xp_tallies as known
                    (profile_id, action, last_day, day_count, week_count, month_count, total_count, total_xp)
                select $1, action, $6, count(*), count(*), count(*), count(*), sum(xp) from given group by action
                on conflict (profile_id, action) do update set
                    last_day = excluded.last_day,
                    day_count = excluded.day_count
                        + case when known.last_day = excluded.last_day then known.day_count else 0 end,
                    week_count = excluded.week_count
                        + case when date_trunc('week', known.last_day) = date_trunc('week', excluded.last_day)
                            then known.week_count else 0 end,
                    month_count = excluded.month_count
                        + case when date_trunc('month', known.last_day) = date_trunc('month', excluded.last_day)
                            then known.month_count else 0 end,
                    total_count = known.total_count + excluded.total_count,
                    total_xp = known.total_xp + excluded.total_xp
            )
            select subject as name from given"
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Array<Text>, _>(column(awards, |award| award.action.as_str()))
        .bind::<Array<Text>, _>(column(awards, |award| award.subject.as_str()))
        .bind::<Array<Integer>, _>(column(awards, |award| integer(award.xp)))
        .bind::<Array<Integer>, _>(column(awards, |award| integer(award.daily_cap)))
        .bind::<SqlDate, _>(today)
        .kept()
        .load(self.connection)
        .map_err(error)?;
        Ok(inserted.len())
    }

    fn standing(&mut self, awards: &[Award]) -> Result<Standing> {
        let rows: Vec<StandingRow> = sql_query(
            "select action, null as subject, null::timestamptz as created_at,
                last_day, day_count, week_count, month_count, total_count, total_xp
            from xp_tallies where profile_id = $1
            union all
            select event.action, event.subject, event.created_at, null, 0, 0, 0, 0, 0
            from unnest($2::text[], $3::text[]) as wanted (action, subject)
            join xp_events event
                on event.profile_id = $1 and event.action = wanted.action and event.subject = wanted.subject",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Array<Text>, _>(column(awards, |award| award.action.as_str()))
        .bind::<Array<Text>, _>(column(awards, |award| award.subject.as_str()))
        .kept()
        .load(self.connection)
        .map_err(error)?;
        let mut standing = Standing { tallies: HashMap::new(), given: HashMap::new() };
        let count = |count: i64| u64::try_from(count).map_err(|error| Error::Internal(Box::new(error)));
        for row in rows {
            let action = row
                .action
                .parse::<Action>()
                .map_err(|_| Error::Internal(format!("unknown action {}", row.action).into()))?;
            if let (Some(subject), Some(created_at)) = (row.subject, row.created_at) {
                standing.given.insert((action, subject), created_at);
            } else if let Some(last_day) = row.last_day {
                let tally = Tally {
                    last_day,
                    day_count: count(row.day_count)?,
                    week_count: count(row.week_count)?,
                    month_count: count(row.month_count)?,
                    total_count: count(row.total_count)?,
                    total_xp: count(row.total_xp)?,
                };
                standing.tallies.insert(action, tally);
            }
        }
        Ok(standing)
    }

    fn budgets_kept_insert(&mut self, month: Month) -> Result<Vec<String>> {
        let rows: Vec<NameRow> = sql_query(format!(
            "with kept as ({BUDGETS_KEPT}), noted as (
                insert into category_achievements (profile_id, category_id)
                select profile_id, id from kept
                on conflict do nothing
                returning category_id
            )
            select kept.name from kept join noted on noted.category_id = kept.id order by kept.id"
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(month.first_day())
        .kept()
        .load(self.connection)
        .map_err(error)?;
        Ok(rows.into_iter().map(|row| row.name).collect())
    }

    fn check_due(&mut self, month: Month, award: Option<&Award>, today: Date) -> Result<bool> {
        let awards = award.map(std::slice::from_ref).unwrap_or_default();
        // The month comes after the awards' parameters.
        let kept = BUDGETS_KEPT.replace("$2", "$7");
        let row: DueRow =
            sql_query(format!("{FRESH_AWARDS} select exists (select from fresh) or exists ({kept}) as due"))
                .bind::<BigInt, _>(self.profile_id.0)
                .bind::<Array<Text>, _>(column(awards, |award| award.action.as_str()))
                .bind::<Array<Text>, _>(column(awards, |award| award.subject.as_str()))
                .bind::<Array<Integer>, _>(column(awards, |award| integer(award.xp)))
                .bind::<Array<Integer>, _>(column(awards, |award| integer(award.daily_cap)))
                .bind::<SqlDate, _>(today)
                .bind::<SqlDate, _>(month.first_day())
                .kept()
                .get_result(self.connection)
                .map_err(error)?;
        Ok(row.due)
    }

    fn budgeted_category_list(&mut self) -> Result<Vec<BudgetedCategory>> {
        let rows: Vec<BudgetedRow> = sql_query(
            "select category.id, category.name, earned.earned_at
            from categories category
            left join category_achievements earned
                on earned.profile_id = category.profile_id and earned.category_id = category.id
            where category.profile_id = $1 and (category.monthly_budget is not null or earned.earned_at is not null)
            order by category.name_key, category.id",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .kept()
        .load(self.connection)
        .map_err(error)?;
        let category =
            |row: BudgetedRow| BudgetedCategory { id: CategoryId(row.id), name: row.name, earned_at: row.earned_at };
        Ok(rows.into_iter().map(category).collect())
    }

    fn xp_event_list(&mut self, after: Option<XpEventId>, limit: u32) -> Result<Vec<XpEvent>> {
        let mut query = xp_events::table
            .filter(xp_events::profile_id.eq(self.profile_id.0))
            .order(xp_events::id.desc())
            .limit(i64::from(limit))
            .select(XpEventRow::as_select())
            .into_boxed();
        if let Some(XpEventId(after)) = after {
            query = query.filter(xp_events::id.lt(after));
        }
        let rows = query.load(self.connection).map_err(error)?;
        Ok(rows.into_iter().map(XpEvent::from).collect())
    }

    fn equipped(&mut self) -> Result<Equipped> {
        let rows: Vec<(String, i64)> = equipped_cosmetics::table
            .filter(equipped_cosmetics::profile_id.eq(self.profile_id.0))
            .select((equipped_cosmetics::kind, equipped_cosmetics::cosmetic_id))
            .load(self.connection)
            .map_err(error)?;
        rows.into_iter()
            .map(|(kind, id)| {
                let known = kind.parse::<CosmeticKind>().map(|kind| (kind, CosmeticId(id)));
                known.map_err(|_| Error::Internal(format!("unknown kind of cosmetic {kind}").into()))
            })
            .collect()
    }

    fn equipped_put(&mut self, kind: CosmeticKind, id: CosmeticId) -> Result<()> {
        let worn = equipped_cosmetics::cosmetic_id.eq(id.0);
        diesel::insert_into(equipped_cosmetics::table)
            .values((
                equipped_cosmetics::profile_id.eq(self.profile_id.0),
                equipped_cosmetics::kind.eq(kind.as_str()),
                worn,
            ))
            .on_conflict((equipped_cosmetics::profile_id, equipped_cosmetics::kind))
            .do_update()
            .set(worn)
            .execute(self.connection)
            .map_err(error)?;
        Ok(())
    }

    fn equipped_delete(&mut self, id: CosmeticId) -> Result<()> {
        diesel::delete(
            equipped_cosmetics::table
                .filter(equipped_cosmetics::profile_id.eq(self.profile_id.0))
                .filter(equipped_cosmetics::cosmetic_id.eq(id.0)),
        )
        .execute(self.connection)
        .map_err(error)?;
        Ok(())
    }
}
