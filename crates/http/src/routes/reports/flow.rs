//! `/api/reports/flow`.

use actix_web::{HttpResponse, get};
use finance_domain::month::parse_date;
use finance_domain::reports::flow::{
    Compare, Figure, FlowBy, FlowReport, FlowSums, Interval, Key, REPORT_ROWS_MAX, Span,
};
use finance_domain::text::percent_encoded;
use finance_domain::transactions::{DateBasis, FlowKind, TransactionFilter, searched_amount};
use finance_domain::use_cases::reports::{self, FlowInput};
use finance_domain::{AccountId, CategoryId, FieldErrors, Month, Result};
use finance_statements::defused;
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{Param, Params, ReferenceInput};
use crate::problem::Reply;
use crate::routes::export::tables::writeln_csv;
use crate::routes::reports::{Format, csv_file};
use crate::routes::transactions::filters::{DateBasisView, FlowKindView, searched, tag_key};
use crate::service::Shared;
use crate::views::{DateInput, DateView, MoneyView};
use crate::words::WordView;

pub(crate) type FlowByView = WordView<FlowBy>;
pub(crate) type IntervalView = WordView<Interval>;
pub(crate) type CompareView = WordView<Compare>;

/// Which report to make.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FlowQuery {
    /// `category` if absent.
    #[param(value_type = Option<FlowByView>, inline)]
    by: Param,
    /// The first day. If absent, the report begins eleven months before the month of `to`.
    #[param(value_type = Option<DateInput>, inline)]
    from: Param,
    /// The last day, at most 120 months from the first; the last day of this month if absent.
    #[param(value_type = Option<DateInput>, inline)]
    to: Param,
    /// `month` if absent.
    #[param(value_type = Option<IntervalView>, inline)]
    interval: Param,
    /// `expense` if absent.
    #[param(value_type = Option<FlowKindView>, inline)]
    kind: Param,
    /// Which date of a transaction counts; `effective` if absent.
    #[param(value_type = Option<DateBasisView>, inline)]
    date: Param,
    /// `none` if absent. Whole months are compared with whole months.
    #[param(value_type = Option<CompareView>, inline)]
    compare: Param,
    /// The most rows, 1 to 200; 20 if absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Param,
    /// `json` or `csv`; `json` if absent.
    #[param(value_type = Option<String>, pattern = "^(json|csv)$")]
    format: Param,
    /// Only transactions of this account; `none`: without an account.
    #[param(value_type = Option<ReferenceInput>, inline)]
    account_id: Param,
    /// Only transactions of this category, and lines of it; `none`: without a category.
    #[param(value_type = Option<ReferenceInput>, inline)]
    category_id: Param,
    /// Only transactions that have this tag; empty: without tags. Not if `by` is `tag`.
    #[param(value_type = Option<String>, max_length = 30)]
    tag: Param,
    /// Only transactions with this text, as in the list.
    #[param(value_type = Option<String>)]
    q: Param,
}

/// Where money came from and went.
#[derive(Serialize, ToSchema)]
#[schema(as = FlowReport)]
pub(crate) struct FlowView {
    from: DateView,
    to: DateView,
    /// Empty if `interval` is `none`.
    intervals: Vec<SpanView>,
    /// The largest first, by the absolute value of `total.net`.
    rows: Vec<RowView>,
    /// The transactions of both periods that have no listed key; null if there are none.
    other: Option<SumsView>,
    /// All transactions, each once.
    total: SumsView,
}

/// Consecutive days.
#[derive(Serialize, ToSchema)]
#[schema(as = ReportInterval)]
struct SpanView {
    from: DateView,
    to: DateView,
}

/// A row of a report.
#[derive(Serialize, ToSchema)]
#[schema(as = FlowRow)]
struct RowView {
    /// The id of a category, an account or a member; the key of a payee; a group or a tag. Null: without.
    #[schema(value_type = KeySchema)]
    key: Option<KeyView>,
    name: Option<String>,
    total: FigureView,
    /// One for each interval.
    series: Vec<FigureView>,
    /// The period that is compared; null without one.
    previous: Option<FigureView>,
    /// A query of `/api/transactions`, whose summary with `from` and `to` has the same sums.
    #[schema(example = "kind=expense&category_id=7")]
    filter: String,
}

/// Figures of transactions.
#[derive(Serialize, ToSchema)]
#[schema(as = FlowSums)]
struct SumsView {
    total: FigureView,
    /// One for each interval.
    series: Vec<FigureView>,
    /// The period that is compared; null without one.
    previous: Option<FigureView>,
}

/// The figures of the transactions of a kind.
#[derive(Serialize, ToSchema)]
#[schema(as = ReportFigure)]
pub(super) struct FigureView {
    /// The incomes among them.
    income: MoneyView,
    /// The expenses among them.
    expenses: MoneyView,
    /// The part of `income` that is refunds.
    refunds: MoneyView,
    /// Expenses − refunds if `kind` is `expense`; the income if it is `income`; otherwise income − expenses.
    net: MoneyView,
}

impl From<Figure> for FigureView {
    fn from(figure: Figure) -> Self {
        FigureView {
            income: MoneyView(figure.income),
            expenses: MoneyView(figure.expenses),
            refunds: MoneyView(figure.refunds),
            net: MoneyView(figure.net),
        }
    }
}

impl From<Span> for SpanView {
    fn from(Span { from, to }: Span) -> Self {
        SpanView { from: DateView(from), to: DateView(to) }
    }
}

impl From<FlowSums> for SumsView {
    fn from(FlowSums { total, series, previous }: FlowSums) -> Self {
        SumsView {
            total: total.into(),
            series: series.into_iter().map(FigureView::from).collect(),
            previous: previous.map(FigureView::from),
        }
    }
}

/// The key of a row.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum KeyView {
    Id(i64),
    Text(String),
}

impl From<Key> for KeyView {
    fn from(key: Key) -> Self {
        match key {
            Key::Id(id) => KeyView::Id(id),
            Key::Text(text) => KeyView::Text(text),
        }
    }
}

/// The schema of a key.
pub(super) struct KeySchema;

impl PartialSchema for KeySchema {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::Integer, Type::String, Type::Null]))
            .examples([serde_json::json!(7), serde_json::json!("padaria ana")])
            .into()
    }
}

impl ToSchema for KeySchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "ReportKey".into()
    }
}

/// The parameters of the request that are parameters of the list too, as they were given, and the name of the parameter that
/// selects a row.
struct ListQuery {
    given: Vec<(&'static str, String)>,
    name: &'static str,
}

impl ListQuery {
    fn of(by: FlowBy, kind: FlowKind, dates: DateBasis, mut given: Vec<(&'static str, String)>) -> Self {
        given.push(("kind", kind.as_str().to_string()));
        if dates != DateBasis::default() {
            given.push(("date", dates.as_str().to_string()));
        }
        let name = match by {
            FlowBy::Category => "category_id",
            FlowBy::Group => "group",
            FlowBy::Payee => "payee",
            FlowBy::Tag => "tag",
            FlowBy::Account => "account_id",
            FlowBy::Member => "member_id",
        };
        // The row has the value of a filter by the same thing.
        given.retain(|(given, _)| *given != name);
        ListQuery { given, name }
    }

    /// The query of a row.
    fn row(&self, by: FlowBy, key: Option<&Key>) -> String {
        let value = match key {
            Some(Key::Id(id)) => id.to_string(),
            Some(Key::Text(text)) => text.clone(),
            None => match by {
                FlowBy::Category | FlowBy::Account | FlowBy::Member => "none".to_string(),
                FlowBy::Group | FlowBy::Payee | FlowBy::Tag => String::new(),
            },
        };
        let given = self.given.iter().map(|(name, value)| (*name, value.as_str()));
        let pairs = given.chain([(self.name, value.as_str())]);
        pairs.map(|(name, value)| format!("{name}={}", percent_encoded(value))).collect::<Vec<_>>().join("&")
    }
}

fn csv(report: &FlowReport) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let names = report.intervals.iter().map(|span| report.interval.name(Month::of(span.from)));
    let heads = ["section", "key", "name"].map(str::to_string).into_iter().chain(names);
    writeln_csv(&mut out, heads.chain(["total", "previous"].map(str::to_string)))?;
    let mut row = |section: &str, key: String, name: &str, sums: &FlowSums| {
        let series = sums.series.iter().map(|figure| figure.net.to_string());
        let previous = sums.previous.map(|figure| figure.net.to_string()).unwrap_or_default();
        let cells = [section.to_string(), defused(&key), defused(name)].into_iter().chain(series);
        writeln_csv(&mut out, cells.chain([sums.total.net.to_string(), previous]))
    };
    for of_key in &report.rows {
        let key = match &of_key.key {
            Some(Key::Id(id)) => id.to_string(),
            Some(Key::Text(text)) => text.clone(),
            None => String::new(),
        };
        row("row", key, of_key.name.as_deref().unwrap_or_default(), &of_key.sums)?;
    }
    if let Some(other) = &report.other {
        row("other", String::new(), "", other)?;
    }
    row("total", String::new(), "", &report.total)?;
    Ok(out)
}

/// Where money came from and went: sums by category, group, payee, tag, account or member, in the intervals of a period.
/// Transfers and opening balances do not count, and a split transaction counts by line.
#[utoipa::path(tag = "reports", params(FlowQuery),
    responses((status = 200, content((FlowView = "application/json"), (String = "text/csv")))))]
#[get("/api/reports/flow")]
pub(crate) async fn flow(service: Shared, user: Authenticated, query: Params<FlowQuery>) -> Reply {
    let mut errors = FieldErrors::default();
    let query = query.value;
    let given =
        [("account_id", &query.account_id), ("category_id", &query.category_id), ("tag", &query.tag), ("q", &query.q)];
    let given = given.into_iter().filter_map(|(name, param)| Some((name, param.clone().text()?))).collect();
    let filter = TransactionFilter {
        account: query.account_id.reference("account_id", &mut errors).map(|account| account.map(AccountId)),
        category: query.category_id.reference("category_id", &mut errors).map(|category| category.map(CategoryId)),
        tag_key: query.tag.read("tag", &mut errors, tag_key),
        amount: query.q.clone().text().as_deref().and_then(searched_amount),
        text_part: query.q.read("q", &mut errors, searched),
        ..TransactionFilter::default()
    };
    let format = Format::read(query.format, &mut errors);
    let input = FlowInput {
        by: query.by.read("by", &mut errors, str::parse).unwrap_or_default(),
        from: query.from.read("from", &mut errors, parse_date),
        to: query.to.read("to", &mut errors, parse_date),
        interval: query.interval.read("interval", &mut errors, str::parse).unwrap_or_default(),
        kind: query.kind.read("kind", &mut errors, str::parse).unwrap_or_default(),
        dates: query.date.read("date", &mut errors, str::parse).unwrap_or_default(),
        compare: query.compare.read("compare", &mut errors, str::parse).unwrap_or_default(),
        limit: query.limit.count("limit", &mut errors, REPORT_ROWS_MAX),
        filter,
        errors,
    };
    let (by, list) = (input.by, ListQuery::of(input.by, input.kind, input.dates, given));
    let context = service.context();
    let report = service.read(user.caller, move |repo| reports::flow(repo, &context, input.clone())).await?;
    if format == Format::Csv {
        let name = format!("{}-{}-{}", by.as_str(), report.span.from, report.span.to);
        return Ok(csv_file(&name, csv(&report)?));
    }
    let rows = report.rows.into_iter().map(|row| {
        let filter = list.row(by, row.key.as_ref());
        let SumsView { total, series, previous } = row.sums.into();
        RowView { key: row.key.map(KeyView::from), name: row.name, total, series, previous, filter }
    });
    Ok(HttpResponse::Ok().json(FlowView {
        from: DateView(report.span.from),
        to: DateView(report.span.to),
        rows: rows.collect(),
        intervals: report.intervals.into_iter().map(SpanView::from).collect(),
        other: report.other.map(SumsView::from),
        total: report.total.into(),
    }))
}
