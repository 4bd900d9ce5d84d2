//! Accounts. Their balances are kept by a trigger on transactions, so no read adds up history.

use diesel::OptionalExtension;
use diesel::prelude::*;
use finance_domain::accounts::{Account, AccountKind, AccountRepo, NewAccount, YieldType};
use finance_domain::text::name_key;
use finance_domain::{AccountId, Error, ProfileId, Refusal, Result};
use time::Date;

use crate::constraints::{error, in_use};
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::{accounts, pending_bills, transactions};

#[derive(Queryable, Selectable)]
#[diesel(table_name = accounts)]
struct AccountRow {
    profile_id: i64,
    id: i64,
    name: String,
    kind: String,
    yield_type: String,
    cdi_percentage: Hundredths,
    last_yield_date: Option<Date>,
    closing_day: Option<i16>,
    due_day: Option<i16>,
    balance: Hundredths,
}

impl TryFrom<AccountRow> for Account {
    type Error = Error;

    fn try_from(row: AccountRow) -> Result<Self> {
        let day = |day: Option<i16>| day.and_then(|day| u8::try_from(day).ok());
        Ok(Account {
            id: AccountId(row.id),
            profile_id: ProfileId(row.profile_id),
            name: row.name,
            kind: kind_of(&row.kind)?,
            yield_type: yield_type_of(&row.yield_type)?,
            cdi_percentage: row.cdi_percentage.into(),
            last_yield_date: row.last_yield_date,
            closing_day: day(row.closing_day),
            due_day: day(row.due_day),
            balance: row.balance.into(),
        })
    }
}

fn kind_text(kind: AccountKind) -> &'static str {
    match kind {
        AccountKind::Current => "current",
        AccountKind::Savings => "savings",
        AccountKind::Investment => "investment",
        AccountKind::Credit => "credit",
    }
}

fn kind_of(text: &str) -> Result<AccountKind> {
    Ok(match text {
        "current" => AccountKind::Current,
        "savings" => AccountKind::Savings,
        "investment" => AccountKind::Investment,
        "credit" => AccountKind::Credit,
        other => return Err(Error::Internal(format!("unknown account kind {other}").into())),
    })
}

fn yield_type_text(yield_type: YieldType) -> &'static str {
    match yield_type {
        YieldType::None => "none",
        YieldType::Cdi => "cdi",
        YieldType::Variable => "variable",
    }
}

fn yield_type_of(text: &str) -> Result<YieldType> {
    Ok(match text {
        "none" => YieldType::None,
        "cdi" => YieldType::Cdi,
        "variable" => YieldType::Variable,
        other => return Err(Error::Internal(format!("unknown yield type {other}").into())),
    })
}

impl AccountRepo for PgRepo<'_> {
    fn account_list(&mut self) -> Result<Vec<Account>> {
        let rows = accounts::table
            .filter(accounts::profile_id.eq(self.profile_id.0))
            .order((accounts::name_key, accounts::id))
            .select(AccountRow::as_select())
            .load(self.connection)
            .map_err(error)?;
        rows.into_iter().map(Account::try_from).collect()
    }

    fn account_get(&mut self, id: AccountId) -> Result<Option<Account>> {
        let query = accounts::table.find((self.profile_id.0, id.0)).select(AccountRow::as_select());
        query.get_result(self.connection).optional().map_err(error)?.map(Account::try_from).transpose()
    }

    fn account_insert(&mut self, new: &NewAccount) -> Result<Account> {
        diesel::insert_into(accounts::table)
            .values((
                accounts::profile_id.eq(self.profile_id.0),
                accounts::name.eq(&new.name),
                accounts::name_key.eq(name_key(&new.name)),
                accounts::kind.eq(kind_text(new.kind)),
                accounts::yield_type.eq(yield_type_text(new.yield_type)),
                accounts::cdi_percentage.eq(Hundredths::from(new.cdi_percentage)),
                accounts::last_yield_date.eq(new.last_yield_date),
                accounts::closing_day.eq(new.closing_day.map(i16::from)),
                accounts::due_day.eq(new.due_day.map(i16::from)),
            ))
            .returning(AccountRow::as_returning())
            .get_result(self.connection)
            .map_err(error)?
            .try_into()
    }

    fn account_update(&mut self, id: AccountId, new: &NewAccount) -> Result<Option<Account>> {
        diesel::update(accounts::table.find((self.profile_id.0, id.0)))
            .set((
                accounts::name.eq(&new.name),
                accounts::name_key.eq(name_key(&new.name)),
                accounts::yield_type.eq(yield_type_text(new.yield_type)),
                accounts::cdi_percentage.eq(Hundredths::from(new.cdi_percentage)),
                accounts::last_yield_date.eq(new.last_yield_date),
                accounts::closing_day.eq(new.closing_day.map(i16::from)),
                accounts::due_day.eq(new.due_day.map(i16::from)),
            ))
            .returning(AccountRow::as_returning())
            .get_result(self.connection)
            .optional()
            .map_err(error)?
            .map(Account::try_from)
            .transpose()
    }

    fn account_delete(&mut self, id: AccountId) -> Result<()> {
        let held: bool = diesel::select(diesel::dsl::exists(
            pending_bills::table
                .filter(pending_bills::profile_id.eq(self.profile_id.0))
                .filter(pending_bills::account_id.eq(id.0))
                .filter(pending_bills::status.eq("pending")),
        ))
        .get_result(self.connection)
        .map_err(error)?;
        if held {
            return Err(Refusal::AccountInUse.into());
        }
        diesel::delete(
            transactions::table
                .filter(transactions::profile_id.eq(self.profile_id.0))
                .filter(transactions::account_id.eq(id.0))
                .filter(transactions::source.eq("opening_balance")),
        )
        .execute(self.connection)
        .map_err(error)?;
        diesel::delete(accounts::table.find((self.profile_id.0, id.0)))
            .execute(self.connection)
            .map_err(in_use(Refusal::AccountInUse))?;
        Ok(())
    }
}
