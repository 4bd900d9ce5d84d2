//! Use cases of reports.

use std::collections::{BTreeMap, HashMap};

use time::Date;

use crate::categories::{Category, group_key, in_order};
use crate::context::Context;
use crate::dashboard::MonthTotals;
use crate::error::{FieldErrors, Result};
use crate::ids::CategoryId;
use crate::irpf::days_of;
use crate::money::Money;
use crate::month::Month;
use crate::refunds::Sums;
use crate::reports::flow::{
    Compare, Figure, FlowBuilder, FlowBy, FlowReport, Interval, Key, Named, Place, REPORT_MONTHS_DEFAULT,
    REPORT_ROWS_DEFAULT, REPORT_ROWS_MAX, Span,
};
use crate::reports::year::{CategoryChange, QuietDays, YEAR_PAYEES, YearReport, quiet_days, rises_and_falls};
use crate::reports::{Part, PartBy, PartKey};
use crate::store::Repo;
use crate::transactions::{DateBasis, FlowKind, Kind, TransactionFilter};
use crate::violations::Violation;

/// The most texts whose payees are remembered while a report is made.
const TEXTS_KEPT_MAX: usize = 10_000;

/// Which report to make. Absent fields have the defaults of their types.
#[derive(Debug, Clone, Default)]
pub struct FlowInput {
    /// What its rows are.
    pub by: FlowBy,
    /// The first day; that of eleven months before the last month by default.
    pub from: Option<Date>,
    /// The last day; that of this month by default.
    pub to: Option<Date>,
    /// Its intervals.
    pub interval: Interval,
    /// Which transactions it is about.
    pub kind: FlowKind,
    /// Which date of a transaction counts.
    pub dates: DateBasis,
    /// The period to compare with.
    pub compare: Compare,
    /// The most rows.
    pub limit: Option<u32>,
    /// The account, category, tag and text of the transactions.
    pub filter: TransactionFilter,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl FlowInput {
    /// The days of the report.
    fn span(&self, today: Date) -> Span {
        let this_month = Month::of(today);
        let to = self.to.unwrap_or_else(|| {
            let begun = self.from.map_or(this_month, Month::of);
            begun.max(this_month).last_day()
        });
        let from = self.from.unwrap_or_else(|| Month::of(to).minus(REPORT_MONTHS_DEFAULT - 1).first_day());
        Span { from, to }
    }
}

/// Sums of income and expenses by what the transactions have in common.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid) at the fields of the input.
pub fn flow(repo: &mut dyn Repo, context: &Context, mut input: FlowInput) -> Result<FlowReport> {
    let span = input.span(context.today);
    let mut errors = std::mem::take(&mut input.errors);
    if !errors.has("to") && !errors.has("from") {
        errors.check("to", span.check());
    }
    if input.by == FlowBy::Tag && input.filter.tag_key.is_some() {
        errors.push("tag", Violation::WithByTag);
    }
    errors.into_result()?;
    let compared = span.compared(input.compare);
    let categories = repo.category_list()?;
    let names = Names::read(repo, context, input.by, &categories)?;
    let mut builder = FlowBuilder::new(span, input.interval, compared.is_some());
    let periods = std::iter::once((span, false)).chain(compared.map(|span| (span, true)));
    for (span, is_compared) in periods {
        let place = |day: Option<Date>| if is_compared { Place::Previous } else { Place::Period(day) };
        let interval = if is_compared { Interval::None } else { input.interval };
        let mut keys: HashMap<String, Option<Key>> = HashMap::new();
        let mut add = |part: Part| {
            let figure = Figure::of(input.kind, part.sums);
            if figure == Figure::default() {
                return;
            }
            let (key, newest) = names.keys(part.key, &mut keys);
            builder.add(key, newest, place(part.day), figure);
        };
        if input.is_by_kept_sums() {
            let only = input.filter.category;
            for (id, month, sums) in by_category(repo, &categories, span)? {
                if only.is_none_or(|only| only.id() == id) {
                    let day = month.first_day().max(span.from);
                    add(Part { key: PartKey::Id(id.map(|id| id.0)), day: Some(day), sums });
                }
            }
        } else {
            let filter = TransactionFilter {
                from: Some(span.from),
                to: Some(span.to),
                flow: Some(input.kind),
                dates: input.dates,
                ..input.filter.clone()
            };
            repo.report_parts(&filter, input.part_by(), interval, &mut |part| {
                let day = part.day.map(|day| day.max(span.from));
                add(Part { day, ..part });
            })?;
        }
    }
    let limit = input.limit.unwrap_or(REPORT_ROWS_DEFAULT);
    Ok(builder.finish(usize::try_from(limit).unwrap_or(usize::MAX), |key| names.by_key.get(key).cloned()))
}

impl FlowInput {
    /// Whether the kept sums by month and category tell everything that is asked, except in parts of months.
    fn is_by_kept_sums(&self) -> bool {
        let TransactionFilter { account, tag_key, text_part, .. } = &self.filter;
        matches!(self.by, FlowBy::Category | FlowBy::Group)
            && self.dates == DateBasis::Effective
            && account.is_none()
            && tag_key.is_none()
            && text_part.is_none()
    }

    fn part_by(&self) -> PartBy {
        match self.by {
            FlowBy::Category | FlowBy::Group => PartBy::Category,
            FlowBy::Payee => PartBy::Text,
            FlowBy::Tag => PartBy::Tags,
            FlowBy::Account => PartBy::Account,
            FlowBy::Member => PartBy::Member,
        }
    }
}

/// The keys of transactions and their names.
struct Names<'c> {
    by: FlowBy,
    context: &'c Context,
    by_key: HashMap<Key, String>,
    /// The group of each category, as its first category writes it.
    groups: HashMap<i64, String>,
}

impl<'c> Names<'c> {
    fn read(repo: &mut dyn Repo, context: &'c Context, by: FlowBy, categories: &[Category]) -> Result<Self> {
        let (mut by_key, mut groups) = (HashMap::new(), HashMap::new());
        match by {
            FlowBy::Category => {
                by_key.extend(categories.iter().map(|category| (Key::Id(category.id.0), category.name.clone())));
            }
            FlowBy::Group => {
                let mut written: HashMap<String, &String> = HashMap::new();
                for at in in_order(categories, |category| {
                    (category.planning.position, category.name.clone(), category.planning.group.clone())
                }) {
                    let category = &categories[at];
                    if let Some(group) = &category.planning.group {
                        let written = *written.entry(group_key(group)).or_insert(group);
                        groups.insert(category.id.0, written.clone());
                        by_key.insert(Key::Text(written.clone()), written.clone());
                    }
                }
            }
            FlowBy::Account => {
                let accounts = repo.account_list(context.today)?;
                by_key.extend(accounts.into_iter().map(|account| (Key::Id(account.id.0), account.name)));
            }
            FlowBy::Member => {
                let members = repo.member_list()?;
                by_key.extend(members.into_iter().map(|member| (Key::Id(member.id.0), member.name)));
            }
            FlowBy::Payee | FlowBy::Tag => {}
        }
        Ok(Names { by, context, by_key, groups })
    }

    /// The keys of a part. The key of a payee is computed once for each text.
    fn keys(&self, of: PartKey, payees: &mut HashMap<String, Option<Key>>) -> (Vec<Named>, i64) {
        match of {
            PartKey::Id(id) if self.by == FlowBy::Group => {
                let group = id.and_then(|id| self.groups.get(&id));
                (vec![(group.cloned().map(Key::Text), None)], 0)
            }
            PartKey::Id(id) => (vec![(id.map(Key::Id), None)], 0),
            PartKey::Text { text, description, newest } => {
                if payees.len() >= TEXTS_KEPT_MAX {
                    payees.clear();
                }
                let key = payees.entry(text).or_insert_with_key(|text| {
                    let key = self.context.lexicon.payees.key(text);
                    (!key.is_empty()).then_some(Key::Text(key))
                });
                let name = key.as_ref().map(|_| description);
                (vec![(key.clone(), name)], newest)
            }
            PartKey::Tags { tags, newest } if !tags.is_empty() => {
                (tags.into_iter().map(|(tag, key)| (Some(Key::Text(key)), Some(tag))).collect(), newest)
            }
            PartKey::Tags { .. } => (vec![(None, None)], 0),
        }
    }
}

/// The sums of each category and month: of whole months from kept sums, of parts of months from transactions.
fn by_category(
    repo: &mut dyn Repo,
    categories: &[Category],
    span: Span,
) -> Result<Vec<(Option<CategoryId>, Month, Sums)>> {
    let nets: HashMap<CategoryId, bool> =
        categories.iter().map(|category| (category.id, category.planning.nets_refunds)).collect();
    let mut rows = Vec::new();
    let (whole, rest) = span.by_whole_months();
    if let Some((first, last)) = whole {
        for row in repo.category_months(None, first, last)? {
            let nets_refunds = row.category_id.is_some_and(|id| nets.get(&id).copied().unwrap_or(false));
            rows.push((row.category_id, row.month, Sums::of_category(row.income, row.expenses, nets_refunds)));
        }
    }
    for Span { from, to } in rest {
        let filter = TransactionFilter {
            from: Some(from),
            to: Some(to),
            flow: Some(FlowKind::Both),
            ..TransactionFilter::default()
        };
        repo.report_parts(&filter, PartBy::Category, Interval::Month, &mut |part| {
            if let PartKey::Id(id) = part.key {
                let month = Month::of(part.day.unwrap_or(from));
                rows.push((id.map(CategoryId), month, part.sums));
            }
        })?;
    }
    Ok(rows)
}

/// The report of a year; of this year if none is named.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid) at `year` if it is not a valid year or is in the future.
pub fn year(repo: &mut dyn Repo, context: &Context, year: Option<i32>) -> Result<YearReport> {
    let this_year = context.today.year();
    let year = year.unwrap_or(this_year);
    let (from, last) = days_of(year, this_year)?;
    let span = Span { from, to: last.min(context.today) };
    let before = span.a_year_before();
    let categories = repo.category_list()?;
    let rows = by_category(repo, &categories, span)?;
    let earlier = by_category(repo, &categories, before)?;
    let total_of = |rows: &[(Option<CategoryId>, Month, Sums)]| {
        Figure::of(FlowKind::Both, rows.iter().map(|(_, _, sums)| *sums).sum())
    };
    let (total, previous) = (total_of(&rows), total_of(&earlier));
    let (rises, falls) = rises_and_falls(changes(&categories, &rows, &earlier));
    let payees = FlowInput {
        by: FlowBy::Payee,
        from: Some(span.from),
        to: Some(span.to),
        interval: Interval::None,
        limit: Some(REPORT_ROWS_MAX),
        ..FlowInput::default()
    };
    // A report has the largest figures first, also those of payees that paid back more than was spent there.
    let mut payees = flow(repo, context, payees)?.rows;
    payees.retain(|payee| payee.sums.total.net > Money::ZERO);
    payees.truncate(YEAR_PAYEES);
    let quiet = days_without_spending(repo, span)?;
    let months = months(&categories, &rows, span);
    Ok(YearReport { year, span, months, total, previous, payees, rises, falls, quiet })
}

fn months(categories: &[Category], rows: &[(Option<CategoryId>, Month, Sums)], span: Span) -> Vec<MonthTotals> {
    let is_tax = |id: Option<CategoryId>| categories.iter().any(|category| Some(category.id) == id && category.is_tax);
    let mut months: BTreeMap<Month, MonthTotals> =
        Month::of(span.from).up_to(Month::of(span.to)).map(|month| (month, MonthTotals::empty(month))).collect();
    for (id, month, sums) in rows {
        let totals = months.entry(*month).or_insert(MonthTotals::empty(*month));
        totals.income += sums.income;
        totals.expenses += sums.expenses;
        totals.refunds += sums.refunds;
        if is_tax(*id) {
            totals.taxes += sums.expenses;
        }
    }
    months.into_values().collect()
}

fn changes(
    categories: &[Category],
    rows: &[(Option<CategoryId>, Month, Sums)],
    earlier: &[(Option<CategoryId>, Month, Sums)],
) -> Vec<CategoryChange> {
    let mut sums: BTreeMap<Option<CategoryId>, (Sums, Sums)> = BTreeMap::new();
    for (id, _, of_rows) in rows {
        sums.entry(*id).or_default().0 += *of_rows;
    }
    for (id, _, of_rows) in earlier {
        sums.entry(*id).or_default().1 += *of_rows;
    }
    let name = |id: Option<CategoryId>| {
        categories.iter().find(|category| Some(category.id) == id).map(|category| category.name.clone())
    };
    sums.into_iter()
        .map(|(category_id, (now, before))| CategoryChange {
            category_id,
            name: name(category_id),
            net: now.spent(),
            previous: before.spent(),
        })
        .collect()
}

fn days_without_spending(repo: &mut dyn Repo, span: Span) -> Result<QuietDays> {
    let Some(first_month) = repo.first_month()? else { return Ok(QuietDays::default()) };
    let span = Span { from: span.from.max(first_month.first_day()), to: span.to };
    if span.from > span.to {
        return Ok(QuietDays::default());
    }
    let filter = TransactionFilter {
        from: Some(span.from),
        to: Some(span.to),
        kind: Some(Kind::Expense),
        flow: Some(FlowKind::Both),
        dates: DateBasis::Purchase,
        ..TransactionFilter::default()
    };
    Ok(quiet_days(span, &repo.report_days(&filter)?.into_iter().collect()))
}
