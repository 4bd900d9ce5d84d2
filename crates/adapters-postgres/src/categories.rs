//! Categories.

use const_format::formatcp;
use diesel::OptionalExtension;
use diesel::prelude::*;
use finance_domain::categories::{
    Carry, Category, CategoryRepo, NewCategory, POSITION_MAX, Planning, TaxKind, group_key,
};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::text::name_key;
use finance_domain::{CategoryId, Money, Month, ProfileId, Refusal, Result};
use time::Date;

use crate::constraints::{error, in_use};
use crate::numeric::Hundredths;
use crate::repo::{PgRepo, counted};
use crate::schema::categories;
use crate::sql::{Arguments, Cache, Fetch};
use crate::sums;
use crate::words::StoredWord;

#[derive(Queryable, Selectable)]
#[diesel(table_name = categories)]
struct CategoryRow {
    profile_id: i64,
    id: i64,
    name: String,
    is_tax: bool,
    is_standard: bool,
    monthly_budget: Option<Hundredths>,
    tax_kind: StoredWord<TaxKind>,
    group_name: Option<String>,
    position: i16,
    icon: Option<String>,
    color: Option<String>,
    is_hidden: bool,
    nets_refunds: bool,
    carry: StoredWord<Carry>,
    carry_since: Option<Date>,
}

impl From<CategoryRow> for Category {
    fn from(row: CategoryRow) -> Self {
        Category {
            id: CategoryId(row.id),
            profile_id: ProfileId(row.profile_id),
            name: row.name,
            is_tax: row.is_tax,
            is_standard: row.is_standard,
            monthly_budget: row.monthly_budget.map(Money::from),
            tax_kind: row.tax_kind.0,
            planning: Planning {
                group: row.group_name,
                position: u16::try_from(row.position).unwrap_or(POSITION_MAX),
                icon: row.icon,
                color: row.color,
                is_hidden: row.is_hidden,
                nets_refunds: row.nets_refunds,
                carry: row.carry.0,
                carry_since: row.carry_since.map(Month::of),
            },
        }
    }
}

/// The stored values of the fields that a client sets.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = categories, treat_none_as_null = true)]
struct CategoryValues<'c> {
    name: &'c str,
    name_key: String,
    is_tax: bool,
    monthly_budget: Option<Hundredths>,
    tax_kind: &'c str,
    #[diesel(embed)]
    planning: PlanningValues<'c>,
}

/// The stored values of a [`Planning`].
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = categories, treat_none_as_null = true)]
pub(crate) struct PlanningValues<'c> {
    group_name: Option<&'c str>,
    group_key: Option<String>,
    position: i16,
    icon: Option<&'c str>,
    color: Option<&'c str>,
    is_hidden: bool,
    nets_refunds: bool,
    carry: &'c str,
    carry_since: Option<Date>,
}

impl<'c> PlanningValues<'c> {
    pub(crate) fn of(planning: &'c Planning) -> Self {
        PlanningValues {
            group_name: planning.group.as_deref(),
            group_key: planning.group.as_deref().map(group_key),
            // It is at most `POSITION_MAX`.
            position: i16::try_from(planning.position).unwrap_or(i16::MAX),
            icon: planning.icon.as_deref(),
            color: planning.color.as_deref(),
            is_hidden: planning.is_hidden,
            nets_refunds: planning.nets_refunds,
            carry: planning.carry.as_str(),
            carry_since: planning.carry_since.map(Month::first_day),
        }
    }
}

impl<'c> CategoryValues<'c> {
    fn of(new: &'c NewCategory) -> Self {
        CategoryValues {
            name: &new.name,
            name_key: name_key(&new.name),
            is_tax: new.is_tax,
            monthly_budget: new.monthly_budget.map(Hundredths::from),
            tax_kind: new.tax_kind.as_str(),
            planning: PlanningValues::of(&new.planning),
        }
    }
}

/// Condition: a row of a statement that was confirmed.
const CONFIRMED: &str = formatcp!(
    "pending_bill_id in (select id from pending_bills where profile_id = $1 and status = '{confirmed}')",
    confirmed = PendingBillStatus::Confirmed.as_str(),
);

/// Condition: a line of a confirmed row of which a line has one of the categories $2.
const LINES_OF_CONFIRMED: &str = formatcp!(
    "(pending_bill_id, row_position) in (
        select pending_bill_id, row_position from pending_bill_lines
        where profile_id = $1 and category_id = any ($2) and {CONFIRMED}
    )"
);

impl CategoryRepo for PgRepo<'_> {
    fn category_list(&mut self) -> Result<Vec<Category>> {
        categories::table
            .filter(categories::profile_id.eq(self.profile_id.0))
            .order((categories::name_key, categories::id))
            .select(CategoryRow::as_select())
            .load(self.connection)
            .map(|rows| rows.into_iter().map(Category::from).collect())
            .map_err(error)
    }

    fn category_count(&mut self) -> Result<usize> {
        let own = categories::table.filter(categories::profile_id.eq(self.profile_id.0));
        own.count().fetch_one(self.connection).and_then(counted)
    }

    fn category_get(&mut self, id: CategoryId) -> Result<Option<Category>> {
        let query = categories::table.find((self.profile_id.0, id.0)).select(CategoryRow::as_select());
        query.get_result(self.connection).optional().map(|row| row.map(Category::from)).map_err(error)
    }

    fn category_insert(&mut self, new: &NewCategory) -> Result<Category> {
        diesel::insert_into(categories::table)
            .values((categories::profile_id.eq(self.profile_id.0), CategoryValues::of(new)))
            .returning(CategoryRow::as_returning())
            .get_result(self.connection)
            .map(Category::from)
            .map_err(error)
            .and_then(|category| self.note_created("categories", [category.id.0]).map(|()| category))
    }

    fn category_update(&mut self, id: CategoryId, new: &NewCategory) -> Result<Option<Category>> {
        self.touch("categories", "id = any($2)", &[id.0])?;
        diesel::update(categories::table.find((self.profile_id.0, id.0)))
            .set(CategoryValues::of(new))
            .returning(CategoryRow::as_returning())
            .get_result(self.connection)
            .optional()
            .map(|row| row.map(Category::from))
            .map_err(error)
    }

    fn category_empty(&mut self, id: CategoryId, into: CategoryId) -> Result<()> {
        for table in [
            "transactions",
            "transaction_lines",
            "pending_bill_rows",
            "pending_bill_lines",
            "recurring",
            "rule_actions",
        ] {
            self.touch(table, "category_id = any($2)", &[id.0])?;
        }
        let statements = [
            sums::RECATEGORIZE,
            "update pending_bill_rows set category_id = $3 where profile_id = $1 and category_id = $2",
            "update pending_bill_lines set category_id = $3 where profile_id = $1 and category_id = $2",
            "update recurring set category_id = $3 where profile_id = $1 and category_id = $2",
            "update rule_actions set category_id = $3 where profile_id = $1 and category_id = $2",
        ];
        for statement in statements {
            self.sql(statement).arg(id.0).arg(into.0).run(self.connection)?;
        }
        Ok(())
    }

    fn category_delete(&mut self, id: CategoryId) -> Result<()> {
        self.touch_deleted("categories", "id = any($2)", &[id.0])?;
        self.touch("pending_bill_lines", LINES_OF_CONFIRMED, &[id.0])?;
        let query = self.sql(formatcp!(
            // A confirmed statement is a record: it forgets the category, and a row whose lines lose one is no longer split.
            "with rows as (
                update pending_bill_rows set category_id = null
                where profile_id = $1 and category_id = any ($2) and {CONFIRMED}
            ), lines as (
                delete from pending_bill_lines where profile_id = $1 and {LINES_OF_CONFIRMED}
            )
            delete from categories where profile_id = $1 and id = any ($2)"
        ));
        query.arg(vec![id.0]).cached().execute(self.connection).map_err(in_use(Refusal::CategoryInUse))
    }
}
