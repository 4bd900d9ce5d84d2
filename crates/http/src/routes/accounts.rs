//! `/api/accounts`.

use actix_web::web::{Json, Path};
use actix_web::{delete, get, post, put};
use finance_domain::accounts::{AccountInput, AccountKind, BALANCE_MONTHS_MAX, MonthBalance, YieldType};
use finance_domain::anchors::Check;
use finance_domain::credit_bills::ChangedBill;
use finance_domain::use_cases::accounts::{self, AccountState};
use finance_domain::yields::{DayCount, MonthYield, YIELD_MONTHS_MAX, YieldTax};
use finance_domain::{AccountId, FieldErrors, Money, Percentage, Repo};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, created};
use crate::extract::json::{Field, take_fields};
use crate::extract::query::{Param, Params};
use crate::problem::Reply;
use crate::routes::credit_bills::CreditBillView;
use crate::service::Shared;
use crate::views::{DateInput, DateView, MoneyInput, MoneyView, PercentageView, no_content};
use crate::words::WordView;

/// The fields of an account to create or update.
#[derive(Deserialize, ToSchema)]
pub(crate) struct AccountBody {
    /// 1 to 100 characters, unique in the profile regardless of case.
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "Nubank")]
    name: Field<String>,
    /// Cannot change after creation.
    #[schema(value_type = KindView)]
    kind: Field<AccountKind>,
    /// Whether its money is free to spend; never on a card. If absent, it stays; a new account has it if it is a current one.
    #[schema(value_type = Option<bool>)]
    spendable: Field<bool>,
    /// `none` is allowed on every account, `poupanca` only on savings, and the others only on an investment.
    #[schema(value_type = Option<YieldTypeView>)]
    yield_type: Field<YieldType>,
    /// The yield in percent of the CDI rate; 100 if absent.
    #[schema(value_type = Option<f64>, exclusive_minimum = 0, maximum = 1000, multiple_of = 0.01, example = 100)]
    cdi_percentage: Field<Percentage>,
    /// In percent a year. With `fixed`: required, above 0. With `ipca` or `selic`: the rate on top, 0 if absent. Else ignored.
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 1000, multiple_of = 0.01, example = 6.5)]
    yield_rate: Field<Percentage>,
    /// If absent, the account follows the service's setting, even if that changes later. Over 2024, 100 % of the CDI rate is
    /// 16.12 % by `calendar` and 10.88 % by `business`.
    #[schema(value_type = Option<DayCountView>)]
    yield_day_count: Field<DayCount>,
    /// `none` if absent; the others only on an investment.
    #[schema(value_type = Option<YieldTaxView>)]
    yield_tax: Field<YieldTax>,
    /// The last day already paid, for an account that starts a yield computed by the service. Today if absent; never after today.
    #[schema(value_type = Option<DateInput>)]
    last_yield_date: Field<Date>,
    /// Required on a card, refused elsewhere.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 31)]
    closing_day: Field<i64>,
    /// Required on a card, refused elsewhere.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 31)]
    due_day: Field<i64>,
    /// The credit limit of a card: null or 0 to 9999999999.99; only on a card.
    #[schema(value_type = Option<MoneyInput>)]
    credit_limit: Field<Money>,
    /// On creation only: becomes one transaction that counts only in the balance.
    #[schema(value_type = Option<MoneyInput>)]
    opening_balance: Field<Money>,
    /// On creation only: the opening balance's date; today if absent, never after today.
    #[schema(value_type = Option<DateInput>)]
    opening_date: Field<Date>,
    /// What it holds at the end of today, below 0 if money is owed: an anchor, as `PUT /api/accounts/{id}/anchors/{date}` stores it.
    /// Not together with `opening_balance`.
    #[schema(value_type = Option<MoneyInput>)]
    balance_today: Field<Money>,
}

impl AccountBody {
    fn into_input(self) -> AccountInput {
        let mut errors = FieldErrors::default();
        take_fields!(self, &mut errors => AccountInput {
            name, kind, is_spendable from spendable, yield_type, cdi_percentage, yield_rate, yield_day_count, yield_tax,
            last_yield_date, closing_day, due_day, credit_limit, opening_balance, opening_date, balance_today;
            errors
        })
    }
}

pub(crate) type KindView = WordView<AccountKind>;
pub(crate) type YieldTypeView = WordView<YieldType>;
pub(crate) type DayCountView = WordView<DayCount>;
pub(crate) type YieldTaxView = WordView<YieldTax>;

/// An account.
#[derive(Serialize, ToSchema)]
#[schema(as = Account)]
pub(crate) struct AccountView {
    id: i64,
    profile_id: i64,
    #[schema(example = "Nubank")]
    name: String,
    kind: KindView,
    /// Whether its money counts for `free_to_spend` of the forecast.
    spendable: bool,
    yield_type: YieldTypeView,
    cdi_percentage: PercentageView,
    /// In percent a year: the fixed rate, or the rate on top of IPCA or Selic; null for other yield types.
    yield_rate: Option<PercentageView>,
    /// The account's own value, or else the present setting of the service.
    yield_day_count: DayCountView,
    yield_tax: YieldTaxView,
    last_yield_date: Option<DateView>,
    closing_day: Option<u8>,
    due_day: Option<u8>,
    /// Income minus expense over its transactions up to today.
    balance: MoneyView,
    /// Income minus expense over its transactions after today.
    ahead: MoneyView,
    /// What its statements with a later payment date ask for, zero or less: held ones, and rows of confirmed ones until that date. It is
    /// owed, and part of no balance yet.
    held: MoneyView,
    /// Whether the service keeps the opening balance of a card: what the payments of bills paid that are not stored.
    opening_is_derived: bool,
    /// The earliest day whose balance is known and does not agree with the rows; null if there is none.
    first_difference: Option<DifferenceView>,
    /// The newest day before that whose balance is known and agrees, other than the one that the opening balance follows; null if
    /// there is none.
    agrees_until: Option<DateView>,
    /// The bill whose period contains today, on a card.
    current_bill: Option<CreditBillView>,
    /// The credit limit of a card; null if it is not known, and on every other account.
    credit_limit: Option<MoneyView>,
    /// The unused part of the limit: `credit_limit` plus `balance` and `held`, less what else is bought on later dates and the
    /// instalments to come. Null without a limit.
    available_limit: Option<MoneyView>,
    /// The IOF that would be due if the account were emptied today; null if `yield_tax` is `none`.
    iof: Option<MoneyView>,
    /// The income tax that would be due if the account were emptied today; null if `yield_tax` is `none`.
    income_tax: Option<MoneyView>,
    /// `balance` minus both taxes; null if `yield_tax` is `none`.
    net_balance: Option<MoneyView>,
    /// What an upgrade changed on a card's open bill, or else on the one that closed before it, until `DELETE /api/credit-bills/changed`; null if it changed nothing.
    changed_bill: Option<ChangedBillView>,
}

/// What an upgrade to a release that carries what is left of a bill changed on a bill.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangedBill)]
struct ChangedBillView {
    due_date: DateView,
    /// What was due by the rules of the release before.
    before: MoneyView,
    /// What was due after the upgrade.
    after: MoneyView,
}

impl From<ChangedBill> for ChangedBillView {
    fn from(ChangedBill { due_date, before, after }: ChangedBill) -> Self {
        ChangedBillView { due_date: DateView(due_date), before: MoneyView(before), after: MoneyView(after) }
    }
}

/// A day whose balance is known and does not agree with the rows.
#[derive(Serialize, ToSchema)]
#[schema(as = Difference)]
struct DifferenceView {
    date: DateView,
    /// What the account held at the end of the day.
    amount: MoneyView,
    /// `amount` minus what the rows come to.
    difference: MoneyView,
}

impl From<Check> for DifferenceView {
    fn from(check: Check) -> Self {
        DifferenceView {
            date: DateView(check.anchor.date),
            amount: MoneyView(check.anchor.amount),
            difference: MoneyView(check.difference()),
        }
    }
}

impl From<AccountState> for AccountView {
    fn from(state: AccountState) -> Self {
        let net_balance = state.net_balance().map(MoneyView);
        let AccountState { account, current_bill, available_limit, day_count, agreement, taxes } = state;
        let days = account.days();
        AccountView {
            id: account.id.0,
            profile_id: account.profile_id.0,
            name: account.name,
            kind: account.kind.into(),
            spendable: account.is_spendable,
            yield_type: account.yield_type.into(),
            cdi_percentage: PercentageView(account.cdi_percentage),
            yield_rate: account.yield_rate.map(PercentageView),
            yield_day_count: day_count.into(),
            yield_tax: account.yield_tax.into(),
            last_yield_date: account.last_yield_date.map(DateView),
            closing_day: days.map(|days| days.closing_day),
            due_day: days.map(|days| days.due_day),
            balance: MoneyView(account.balance),
            ahead: MoneyView(account.ahead),
            held: MoneyView(account.held),
            opening_is_derived: account.opening_is_derived,
            first_difference: agreement.first_difference.map(DifferenceView::from),
            agrees_until: agreement.agrees_until.map(DateView),
            current_bill: current_bill.map(CreditBillView::from),
            credit_limit: account.credit_limit.map(MoneyView),
            available_limit: available_limit.map(MoneyView),
            iof: taxes.map(|taxes| MoneyView(taxes.iof)),
            income_tax: taxes.map(|taxes| MoneyView(taxes.income_tax)),
            net_balance,
            changed_bill: account.changed_bill.map(ChangedBillView::from),
        }
    }
}

/// All accounts, by name. Posts due yield and refreshes current bills first.
#[utoipa::path(tag = "accounts", responses((status = 200, body = [AccountView])))]
#[get("/api/accounts")]
pub(crate) async fn list(service: Shared, user: Authenticated) -> Reply<Json<Vec<AccountView>>> {
    let context = service.context();
    let accounts = service.flow_today(user.caller, move |repo| accounts::list(repo, &context)).await?;
    Ok(Json(accounts.into_iter().map(AccountView::from).collect()))
}

/// Creates an account.
#[utoipa::path(tag = "accounts", request_body = AccountBody,
    responses((status = 201, body = AccountView),
    (status = 409, description = "`ErrAccountNameTaken`, `ErrLimitReached`")))]
#[post("/api/accounts")]
pub(crate) async fn create(service: Shared, Idempotent { post, body }: Idempotent<Body<AccountBody>>) -> Reply {
    let (input, context) = (body.value.into_input(), service.context());
    let work = move |repo: &mut dyn Repo| accounts::create(repo, &context, input);
    post.write(&service, work, |account| {
        created(format!("/api/accounts/{}", account.account.id), AccountView::from(account))
    })
    .await
}

/// An account.
#[utoipa::path(tag = "accounts", responses((status = 200, body = AccountView)))]
#[get("/api/accounts/{id}")]
pub(crate) async fn get(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<AccountView>> {
    let context = service.context();
    let account = service.read_today(user.caller, move |repo| accounts::get(repo, &context, AccountId(*id))).await?;
    Ok(Json(account.into()))
}

/// The number of months of balances, if the request gives none.
const BALANCE_MONTHS_DEFAULT: u32 = 12;

/// How many months of balances to show.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct BalancesQuery {
    /// Months, the present one included: 1 to 60; 12 if absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 60)]
    months: Param,
}

/// The balance at the end of a month.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthBalance)]
struct MonthBalanceView {
    /// The month.
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}$", example = "2026-03")]
    month: String,
    /// Income minus expenses up to the month's last day, or up to today in the present month.
    balance: MoneyView,
}

/// Balances of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountBalances)]
pub(crate) struct BalancesView {
    /// By month, the present one last.
    balances: Vec<MonthBalanceView>,
}

/// The balance of an account at the end of each month. It excludes yield that is due but not posted yet.
#[utoipa::path(tag = "accounts", params(BalancesQuery), responses((status = 200, body = BalancesView)))]
#[get("/api/accounts/{id}/balances")]
pub(crate) async fn balances(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    query: Params<BalancesQuery>,
) -> Reply<Json<BalancesView>> {
    let mut errors = FieldErrors::default();
    let months = query.value.months.count("months", &mut errors, BALANCE_MONTHS_MAX).unwrap_or(BALANCE_MONTHS_DEFAULT);
    errors.into_result()?;
    let today = service.clock.today();
    let found = service.read(user.caller, move |repo| accounts::balances(repo, AccountId(*id), months, today)).await?;
    let view = |at: MonthBalance| MonthBalanceView { month: at.month.to_string(), balance: MoneyView(at.balance) };
    Ok(Json(BalancesView { balances: found.into_iter().map(view).collect() }))
}

/// The number of months of yield, if the request gives none.
const YIELD_MONTHS_DEFAULT: u32 = 12;

/// How many months of yield to show.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct YieldsQuery {
    /// Months, the present one included: 1 to 24; 12 if absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 24)]
    months: Param,
}

/// What an account earned in a month.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthYield)]
pub(crate) struct MonthYieldView {
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}$", example = "2026-03")]
    month: String,
    /// The yield that was posted in the month.
    gross: MoneyView,
    /// The IOF and income tax that would be due on it if the account were emptied today; 0.00 if `yield_tax` is `none`.
    tax: MoneyView,
    /// `gross` minus `tax`.
    net: MoneyView,
}

impl From<MonthYield> for MonthYieldView {
    fn from(of: MonthYield) -> Self {
        MonthYieldView {
            month: of.month.to_string(),
            gross: MoneyView(of.gross),
            tax: MoneyView(of.taxes.total()),
            net: MoneyView(of.net()),
        }
    }
}

/// What an account earned by month, the present one last. It excludes yield that is due but not posted yet. Yield that was
/// withdrawn no longer bears tax.
#[utoipa::path(tag = "accounts", params(YieldsQuery), responses((status = 200, body = [MonthYieldView])))]
#[get("/api/accounts/{id}/yields")]
pub(crate) async fn yields(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    query: Params<YieldsQuery>,
) -> Reply<Json<Vec<MonthYieldView>>> {
    let mut errors = FieldErrors::default();
    let months = query.value.months.count("months", &mut errors, YIELD_MONTHS_MAX).unwrap_or(YIELD_MONTHS_DEFAULT);
    errors.into_result()?;
    let context = service.context();
    let found = service.read(user.caller, move |repo| accounts::yields(repo, &context, AccountId(*id), months)).await?;
    Ok(Json(found.into_iter().map(MonthYieldView::from).collect()))
}

/// Replaces an account's own fields. Its kind stays.
#[utoipa::path(tag = "accounts", request_body = AccountBody,
    responses((status = 200, body = AccountView),
    (status = 409, description = "`ErrAccountNameTaken`, `ErrLimitReached`")))]
#[put("/api/accounts/{id}")]
pub(crate) async fn update(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    body: Body<AccountBody>,
) -> Reply<Json<AccountView>> {
    let (input, context) = (body.value.into_input(), service.context());
    let account =
        service.write(user.caller, move |repo| accounts::update(repo, &context, AccountId(*id), input)).await?;
    Ok(Json(account.into()))
}

/// Deletes an account. Only its opening balance and unpaid bills without rows may refer to it.
#[utoipa::path(tag = "accounts", responses((status = 204), (status = 409, description = "`ErrAccountInUse`")))]
#[delete("/api/accounts/{id}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    service.write(user.caller, move |repo| accounts::delete(repo, AccountId(*id))).await?;
    Ok(no_content())
}
