//! XP, achievements of categories, equipped cosmetics, and appearances.

mod awards;

use awards::{AWARD_OR_BUDGETS_DUE, AwardedRow, BUDGETS_DUE, INSERT_BUDGETS_KEPT, STANDING, StandingRow};
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz};
use finance_domain::gamification::{
    Appearance, Award, Awarded, BudgetedCategory, CosmeticKind, Equipped, GamificationRepo, Standing, XpEvent,
};
use finance_domain::{CategoryId, CosmeticId, Error, Month, Result, XpEventId};
use time::{Date, OffsetDateTime};

use crate::constraints::error;
use crate::repo::PgRepo;
use crate::row::row;
use crate::schema::{appearances, equipped_cosmetics, xp_events};
use crate::sql::{Arguments, Cache, Fetch, column};

row! { struct NameRow { name: String [Text] } }

row! { struct DueRow { due: bool [Bool] } }

row! { struct BudgetedRow {
    id: i64 [BigInt],
    name: String [Text],
    earned_at: Option<OffsetDateTime> [Nullable<Timestamptz>],
} }

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
    fn from(XpEventRow { id, action, subject, xp, created_at }: XpEventRow) -> Self {
        XpEvent { id: XpEventId(id), action, subject, xp: u32::try_from(xp).unwrap_or(0), created_at }
    }
}

/// XP and caps come from the catalog and are far below the bound.
fn integer(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

impl GamificationRepo for PgRepo<'_> {
    fn award_insert(&mut self, given: &[Award], month: Month, today: Date) -> Result<Awarded> {
        let query = self.sql(awards::insert_awards(given.len()));
        let rows: Vec<AwardedRow> = query
            .arg(column(given, |award| award.action.as_str()))
            .arg(column(given, |award| award.subject.as_str()))
            .arg(column(given, |award| integer(award.xp)))
            .arg(column(given, |award| integer(award.daily_cap)))
            .arg(today)
            .arg(month.first_day())
            .rows(self.connection)?;
        awards::awarded(&rows)
    }

    fn standing(&mut self, wanted: &[Award]) -> Result<Standing> {
        let query = self.sql(STANDING.as_str());
        let rows: Vec<StandingRow> = query
            .arg(column(wanted, |award| award.action.as_str()))
            .arg(column(wanted, |award| award.subject.as_str()))
            .rows(self.connection)?;
        awards::standing(rows)
    }

    fn budgets_kept_insert(&mut self, month: Month) -> Result<Vec<String>> {
        self.sql(INSERT_BUDGETS_KEPT.as_str()).arg(month.first_day()).rows_as(self.connection, |row: NameRow| row.name)
    }

    fn check_due(&mut self, month: Month, award: Option<&Award>, today: Date) -> Result<bool> {
        let Some(award) = award else {
            let query = self.sql(BUDGETS_DUE.as_str());
            let row: DueRow = query.arg(month.first_day()).row(self.connection)?;
            return Ok(row.due);
        };
        let query = self.sql(AWARD_OR_BUDGETS_DUE.as_str());
        let row: DueRow = query
            .arg([award.action.as_str()].as_slice())
            .arg([award.subject.as_str()].as_slice())
            .arg([integer(award.xp)].as_slice())
            .arg([integer(award.daily_cap)].as_slice())
            .arg(today)
            .arg(month.first_day())
            .row(self.connection)?;
        Ok(row.due)
    }

    fn budgeted_category_list(&mut self) -> Result<Vec<BudgetedCategory>> {
        let category =
            |row: BudgetedRow| BudgetedCategory { id: CategoryId(row.id), name: row.name, earned_at: row.earned_at };
        self.sql(
            "select category.id, category.name, earned.earned_at
            from categories category
            left join category_achievements earned
                on earned.profile_id = category.profile_id and earned.category_id = category.id
            where category.profile_id = $1 and (category.monthly_budget is not null or earned.earned_at is not null
                or exists (select 1 from budgets own where own.profile_id = $1 and own.category_id = category.id))
            order by category.name_key, category.id",
        )
        .rows_as(self.connection, category)
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
        let rows = query.fetch(self.connection)?;
        Ok(rows.into_iter().map(XpEvent::from).collect())
    }

    fn equipped(&mut self) -> Result<Equipped> {
        let rows: Vec<(String, i64)> = equipped_cosmetics::table
            .filter(equipped_cosmetics::profile_id.eq(self.profile_id.0))
            .select((equipped_cosmetics::kind, equipped_cosmetics::cosmetic_id))
            .fetch(self.connection)?;
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
            .exec(self.connection)
    }

    fn equipped_delete(&mut self, id: CosmeticId) -> Result<()> {
        diesel::delete(
            equipped_cosmetics::table
                .filter(equipped_cosmetics::profile_id.eq(self.profile_id.0))
                .filter(equipped_cosmetics::cosmetic_id.eq(id.0)),
        )
        .exec(self.connection)
    }

    fn appearance_get(&mut self) -> Result<Option<Appearance>> {
        let row: Option<(String, String, String)> = appearances::table
            .filter(appearances::profile_id.eq(self.profile_id.0))
            .select((appearances::skin, appearances::hair_style, appearances::body))
            .first(self.connection)
            .optional()
            .map_err(error)?;
        Ok(row.map(|(skin, hair_style, body)| Appearance { skin, hair_style, body }))
    }

    fn appearance_put(&mut self, new: &Appearance) -> Result<()> {
        let chosen = (
            appearances::skin.eq(&new.skin),
            appearances::hair_style.eq(&new.hair_style),
            appearances::body.eq(&new.body),
        );
        diesel::insert_into(appearances::table)
            .values((appearances::profile_id.eq(self.profile_id.0), chosen))
            .on_conflict(appearances::profile_id)
            .do_update()
            .set(chosen)
            .exec(self.connection)
    }
}
