//! `/api/reports/irpf`.

use actix_web::{HttpResponse, get};
use finance_domain::irpf::{IrpfReport, Payee, TaxKindTotal, YearEndBalance, YearYield};
use finance_domain::use_cases::irpf;
use finance_domain::{FieldErrors, Money, Result, Violation};
use finance_statements::defused;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{Param, Params};
use crate::problem::Reply;
use crate::routes::accounts::KindView;
use crate::routes::categories::TaxKindView;
use crate::routes::export::tables::writeln_csv;
use crate::routes::reports::{Format, csv_file};
use crate::service::Shared;
use crate::views::MoneyView;

/// Which report to make.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct IrpfQuery {
    /// The year, not after this year; last year if absent.
    #[param(value_type = Option<i32>, minimum = 1900, example = 2025)]
    year: Param,
    /// `json` or `csv`; `json` if absent.
    #[param(value_type = Option<String>, pattern = "^(json|csv)$")]
    format: Param,
}

/// The data that a household needs for its yearly income tax return.
#[derive(Serialize, ToSchema)]
#[schema(as = IrpfReport)]
pub(crate) struct IrpfView {
    year: i32,
    /// The year's expenses in categories with a `tax_kind`; kinds without any are left out.
    categories: Vec<TaxKindTotalView>,
    /// All accounts, by name.
    accounts: Vec<YearEndBalanceView>,
    /// The accounts that yielded anything, by name.
    yields: Vec<YearYieldView>,
}

/// The expenses of a kind.
#[derive(Serialize, ToSchema)]
#[schema(as = IrpfCategory)]
struct TaxKindTotalView {
    tax_kind: TaxKindView,
    total: MoneyView,
    /// The payees, the largest total first; at most 500.
    payees: Vec<PayeeView>,
}

/// A payee of the expenses. The instalments of a purchase have one.
#[derive(Serialize, ToSchema)]
#[schema(as = IrpfPayee)]
struct PayeeView {
    /// The `payee` that the list of transactions finds them by. Null if no payee can be told from the text, such as a number.
    #[schema(example = "clinica sorriso")]
    key: Option<String>,
    description: String,
    total: MoneyView,
}

/// The balances of an account at the ends of two years.
#[derive(Serialize, ToSchema)]
#[schema(as = IrpfAccount)]
struct YearEndBalanceView {
    account_id: i64,
    name: String,
    kind: KindView,
    /// On 31 December of the previous year.
    balance_previous: MoneyView,
    /// On 31 December of the year.
    balance: MoneyView,
}

/// What an account yielded in the year.
#[derive(Serialize, ToSchema)]
#[schema(as = IrpfYield)]
struct YearYieldView {
    account_id: i64,
    name: String,
    gross: MoneyView,
    /// The IOF due on it if the account were emptied at the year's end, or today; 0.00 if `yield_tax` is `none`.
    iof: MoneyView,
    /// The income tax due in the same case.
    income_tax: MoneyView,
}

impl From<TaxKindTotal> for TaxKindTotalView {
    fn from(of_kind: TaxKindTotal) -> Self {
        let payee = |Payee { key, description, total }| PayeeView { key, description, total: MoneyView(total) };
        TaxKindTotalView {
            tax_kind: of_kind.tax_kind.into(),
            total: MoneyView(of_kind.total),
            payees: of_kind.payees.into_iter().map(payee).collect(),
        }
    }
}

impl From<YearEndBalance> for YearEndBalanceView {
    fn from(balance: YearEndBalance) -> Self {
        YearEndBalanceView {
            account_id: balance.account_id.0,
            name: balance.name,
            kind: balance.kind.into(),
            balance_previous: MoneyView(balance.balance_previous),
            balance: MoneyView(balance.balance),
        }
    }
}

impl From<YearYield> for YearYieldView {
    fn from(earned: YearYield) -> Self {
        YearYieldView {
            account_id: earned.account_id.0,
            name: earned.name,
            gross: MoneyView(earned.gross),
            iof: MoneyView(earned.iof),
            income_tax: MoneyView(earned.income_tax),
        }
    }
}

impl From<IrpfReport> for IrpfView {
    fn from(report: IrpfReport) -> Self {
        IrpfView {
            year: report.year,
            categories: report.categories.into_iter().map(TaxKindTotalView::from).collect(),
            accounts: report.accounts.into_iter().map(YearEndBalanceView::from).collect(),
            yields: report.yields.into_iter().map(YearYieldView::from).collect(),
        }
    }
}

/// The columns of the table. A row fills those of its section. For expenses, `name` is the payee, empty for a total.
const COLUMNS: [&str; 10] =
    ["section", "kind", "account_id", "name", "total", "balance_previous", "balance", "gross", "iof", "income_tax"];

fn csv(report: &IrpfReport) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut row = |section: &str, values: &[(&str, String)]| {
        let of = |column: &str| values.iter().find(|(name, _)| *name == column).map(|(_, value)| value.clone());
        let cells = COLUMNS.iter().map(|column| match *column {
            "section" => section.to_string(),
            "name" => of(column).map(|name| defused(&name)).unwrap_or_default(),
            column => of(column).unwrap_or_default(),
        });
        writeln_csv(&mut out, cells)
    };
    let money = |amount: Money| amount.to_string();
    let heads: Vec<(&str, String)> = COLUMNS.iter().map(|column| (*column, column.to_string())).collect();
    row("section", &heads)?;
    for of_kind in &report.categories {
        let kind = || ("kind", of_kind.tax_kind.as_str().to_string());
        row("categories", &[kind(), ("total", money(of_kind.total))])?;
        for payee in &of_kind.payees {
            row("payees", &[kind(), ("name", payee.description.clone()), ("total", money(payee.total))])?;
        }
    }
    for account in &report.accounts {
        row(
            "accounts",
            &[
                ("kind", account.kind.as_str().to_string()),
                ("account_id", account.account_id.to_string()),
                ("name", account.name.clone()),
                ("balance_previous", money(account.balance_previous)),
                ("balance", money(account.balance)),
            ],
        )?;
    }
    for earned in &report.yields {
        row(
            "yields",
            &[
                ("account_id", earned.account_id.to_string()),
                ("name", earned.name.clone()),
                ("gross", money(earned.gross)),
                ("iof", money(earned.iof)),
                ("income_tax", money(earned.income_tax)),
            ],
        )?;
    }
    Ok(out)
}

/// The data that a household needs for its yearly income tax return: expenses by `tax_kind`, balances at the ends of two years,
/// and yield. It excludes yield that is due but not posted yet.
#[utoipa::path(tag = "reports", params(IrpfQuery),
    responses((status = 200, content((IrpfView = "application/json"), (String = "text/csv")))))]
#[get("/api/reports/irpf")]
pub(crate) async fn income_tax(service: Shared, user: Authenticated, query: Params<IrpfQuery>) -> Reply {
    let mut errors = FieldErrors::default();
    let IrpfQuery { year, format } = query.value;
    let year = year.read("year", &mut errors, |text| text.parse::<i32>().map_err(|_| Violation::NotAWholeNumber));
    let format = Format::read(format, &mut errors);
    errors.into_result()?;
    let context = service.context();
    let report = service.read(user.caller, move |repo| irpf::report(repo, &context, year)).await?;
    match format {
        Format::Json => Ok(HttpResponse::Ok().json(IrpfView::from(report))),
        Format::Csv => Ok(csv_file(&format!("irpf-{}", report.year), csv(&report)?)),
    }
}
