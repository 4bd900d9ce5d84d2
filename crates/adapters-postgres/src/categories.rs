//! Categories.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel::{OptionalExtension, sql_query};
use finance_domain::categories::{Category, CategoryRepo, NewCategory, TaxKind};
use finance_domain::text::name_key;
use finance_domain::{CategoryId, Money, ProfileId, Refusal, Result};

use crate::constraints::{error, in_use};
use crate::numeric::Hundredths;
use crate::repo::{PgRepo, counted};
use crate::schema::categories;
use crate::statement::Cache;
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
        }
    }
}

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
        own.count().get_result(self.connection).map_err(error).and_then(counted)
    }

    fn category_get(&mut self, id: CategoryId) -> Result<Option<Category>> {
        let query = categories::table.find((self.profile_id.0, id.0)).select(CategoryRow::as_select());
        query.get_result(self.connection).optional().map(|row| row.map(Category::from)).map_err(error)
    }

    fn category_insert(&mut self, new: &NewCategory) -> Result<Category> {
        diesel::insert_into(categories::table)
            .values((
                categories::profile_id.eq(self.profile_id.0),
                categories::name.eq(&new.name),
                categories::name_key.eq(name_key(&new.name)),
                categories::is_tax.eq(new.is_tax),
                categories::monthly_budget.eq(new.monthly_budget.map(Hundredths::from)),
                categories::tax_kind.eq(new.tax_kind.as_str()),
            ))
            .returning(CategoryRow::as_returning())
            .get_result(self.connection)
            .map(Category::from)
            .map_err(error)
    }

    fn category_update(&mut self, id: CategoryId, new: &NewCategory) -> Result<Option<Category>> {
        diesel::update(categories::table.find((self.profile_id.0, id.0)))
            .set((
                categories::name.eq(&new.name),
                categories::name_key.eq(name_key(&new.name)),
                categories::is_tax.eq(new.is_tax),
                categories::monthly_budget.eq(new.monthly_budget.map(Hundredths::from)),
                categories::tax_kind.eq(new.tax_kind.as_str()),
            ))
            .returning(CategoryRow::as_returning())
            .get_result(self.connection)
            .optional()
            .map(|row| row.map(Category::from))
            .map_err(error)
    }

    fn category_empty(&mut self, id: CategoryId, into: CategoryId) -> Result<()> {
        let statements = [
            sums::RECATEGORIZE,
            "update pending_bill_rows set category_id = $3 where profile_id = $1 and category_id = $2",
            "update recurring set category_id = $3 where profile_id = $1 and category_id = $2",
            "update rule_actions set category_id = $3 where profile_id = $1 and category_id = $2",
        ];
        for statement in statements {
            sql_query(statement)
                .bind::<BigInt, _>(self.profile_id.0)
                .bind::<BigInt, _>(id.0)
                .bind::<BigInt, _>(into.0)
                .cached()
                .execute(self.connection)
                .map_err(error)?;
        }
        Ok(())
    }

    fn category_delete(&mut self, id: CategoryId) -> Result<()> {
        sql_query(
            "with held as (
                update pending_bill_rows set category_id = null where profile_id = $1 and category_id = $2
            )
            delete from categories where profile_id = $1 and id = $2",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<BigInt, _>(id.0)
        .cached()
        .execute(self.connection)
        .map_err(in_use(Refusal::CategoryInUse))?;
        Ok(())
    }
}
