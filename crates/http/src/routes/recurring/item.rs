//! A recurring item: what a client sends of it, and its view.

use finance_domain::recurring::{
    DueDayCount, EveryInput, Expects, Occurrence, RecurringInput, RecurringState, Schedule, Status, Unit, Weekend,
};
use finance_domain::transactions::{Kind, Referring};
use finance_domain::{AccountId, CategoryId, FieldErrors, Money, Violation};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::ToSchema;

use crate::extract::json::{Change, Field, FieldValue, FromJson, take_fields};
use crate::routes::transactions::KindView;
use crate::views::{DateInput, DateView, MoneyInput, MoneyView};
use crate::words::WordView;

/// How often an item is due: every `n` units.
#[derive(Deserialize, ToSchema)]
#[schema(as = RecurringEveryBody)]
pub(crate) struct EveryBody {
    #[schema(value_type = i64, minimum = 1, maximum = 366)]
    n: Field<i64>,
    #[schema(value_type = UnitView)]
    unit: Field<Unit>,
}

impl FromJson for EveryBody {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Nested(raw) if raw.starts_with('{') => {
                serde_json::from_str(raw).map_err(|_| Violation::NotAnObjectOrNull)
            }
            _ => Err(Violation::NotAnObjectOrNull),
        }
    }
}

pub(crate) type UnitView = WordView<Unit>;
pub(crate) type DayCountView = WordView<DueDayCount>;
pub(crate) type WeekendView = WordView<Weekend>;
pub(crate) type ExpectsView = WordView<Expects>;

/// The fields of a recurring item to create or update. Of those of its schedule, one that is absent keeps its value, or has its default in
/// a new item; null resets it.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RecurringBody {
    #[serde(rename = "type")]
    #[schema(value_type = KindView)]
    kind: Field<Kind>,
    #[schema(value_type = String, min_length = 1, max_length = 255, example = "Aluguel")]
    description: Field<String>,
    /// Above 0, at most 9999999999.99.
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
    #[schema(value_type = i64, minimum = 1)]
    category_id: Field<CategoryId>,
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
    /// The day of the month on which it is expected. In a shorter month, it means the last day. Required without a `start_on`, whose day
    /// it is where it is absent. Rhythms of days and weeks ignore it.
    #[serde(default)]
    #[schema(value_type = Option<i64>, nullable, minimum = 1, maximum = 31)]
    day: Change<i64>,
    /// Once a month by default.
    #[serde(default)]
    #[schema(value_type = Option<EveryBody>, nullable)]
    every: Change<EveryBody>,
    /// The first possible day. Required with another `every`, and with a `count`.
    #[serde(default)]
    #[schema(value_type = Option<DateInput>, nullable)]
    start_on: Change<Date>,
    /// The last possible day; not together with a `count`.
    #[serde(default)]
    #[schema(value_type = Option<DateInput>, nullable)]
    until: Change<Date>,
    /// The number of dues; 1 for a single one.
    #[serde(default)]
    #[schema(value_type = Option<i64>, nullable, minimum = 1, maximum = 999)]
    count: Change<i64>,
    /// `calendar` by default.
    #[serde(default)]
    #[schema(value_type = Option<DayCountView>, nullable)]
    day_count: Change<DueDayCount>,
    /// `same` by default.
    #[serde(default)]
    #[schema(value_type = Option<WeekendView>, nullable)]
    weekend: Change<Weekend>,
    /// The least that it usually is: at most `amount`. Both ends of the range or none.
    #[serde(default)]
    #[schema(value_type = Option<MoneyInput>, nullable)]
    amount_min: Change<Money>,
    /// The most that it usually is: at least `amount`.
    #[serde(default)]
    #[schema(value_type = Option<MoneyInput>, nullable)]
    amount_max: Change<Money>,
    /// `amount` by default.
    #[serde(default)]
    #[schema(value_type = Option<ExpectsView>, nullable)]
    expects: Change<Expects>,
    /// Whether a part of the amount is set aside each month: only of an expense that is due in months or years, less than once a
    /// month. False by default.
    #[serde(default)]
    #[schema(value_type = Option<bool>, nullable)]
    reserve: Change<bool>,
}

impl RecurringBody {
    /// The input, with the errors of the query.
    pub(super) fn into_input(self, mut errors: FieldErrors) -> RecurringInput {
        let every = self.every.take("every", &mut errors).map(|every| match every {
            Referring::To(EveryBody { n, unit }) => Referring::To(EveryInput {
                n: n.take("every.n", &mut errors),
                unit: unit.take("every.unit", &mut errors),
            }),
            Referring::Nothing => Referring::Nothing,
        });
        take_fields!(self, &mut errors => RecurringInput {
            kind as "type", description, amount, category_id, account_id, day, start_on, until, count, day_count, weekend,
            amount_min, amount_max, expects, reserve;
            every, errors
        })
    }
}

/// How often an item is due: every `n` units.
#[derive(Serialize, ToSchema)]
#[schema(as = RecurringEvery)]
pub(crate) struct EveryView {
    n: u16,
    unit: UnitView,
}

/// When an item is due, and what is expected then.
#[derive(Serialize, ToSchema)]
#[schema(as = RecurringSchedule)]
pub(crate) struct ScheduleView {
    every: EveryView,
    /// The first possible day.
    start_on: Option<DateView>,
    /// The last possible day.
    until: Option<DateView>,
    /// The number of dues.
    count: Option<u16>,
    day_count: DayCountView,
    weekend: WeekendView,
    /// The least that it usually is.
    amount_min: Option<MoneyView>,
    /// The most that it usually is.
    amount_max: Option<MoneyView>,
    expects: ExpectsView,
    /// Whether a part of the amount is set aside each month.
    reserve: bool,
}

impl From<Schedule> for ScheduleView {
    fn from(schedule: Schedule) -> Self {
        ScheduleView {
            every: EveryView { n: schedule.every.n, unit: schedule.every.unit.into() },
            start_on: schedule.start_on.map(DateView),
            until: schedule.until.map(DateView),
            count: schedule.count,
            day_count: schedule.day_count.into(),
            weekend: schedule.weekend.into(),
            amount_min: schedule.range.map(|(low, _)| MoneyView(low)),
            amount_max: schedule.range.map(|(_, high)| MoneyView(high)),
            expects: schedule.expects.into(),
            reserve: schedule.reserve,
        }
    }
}

/// A due of an item.
#[derive(Serialize, ToSchema)]
#[schema(as = RecurringOccurrence)]
pub(crate) struct OccurrenceView {
    /// The day of the rhythm, which names it.
    due: DateView,
    /// The day on which it is expected: `due`, or a business day near it.
    date: DateView,
    /// What came, otherwise what is expected.
    amount: MoneyView,
    status: StatusView,
    /// Whether a person said which transactions cover it.
    linked: bool,
    /// The transactions that cover or confirm it. Empty also if a row of a held statement covers it.
    transaction_ids: Vec<i64>,
}

impl From<Occurrence> for OccurrenceView {
    fn from(one: Occurrence) -> Self {
        OccurrenceView {
            due: DateView(one.due),
            date: DateView(one.date),
            amount: MoneyView(one.amount),
            status: one.status.into(),
            linked: one.is_linked,
            transaction_ids: one.transaction_ids.into_iter().map(|id| id.0).collect(),
        }
    }
}

/// A recurring item, with its dues of the requested month.
#[derive(Serialize, ToSchema)]
#[schema(as = Recurring)]
pub(crate) struct RecurringView {
    id: i64,
    profile_id: i64,
    #[serde(rename = "type")]
    kind: KindView,
    #[schema(example = "Aluguel")]
    description: String,
    amount: MoneyView,
    category_id: i64,
    account_id: Option<i64>,
    day: u8,
    #[serde(flatten)]
    schedule: ScheduleView,
    /// The first date from today on; null if nothing more is due.
    next_on: Option<DateView>,
    /// The first of `late`, `pending`, `covered`, `confirmed` and `ignored` among the dues of the month; null if there are none.
    status: Option<StatusView>,
    /// The first transaction that covers or confirms the due with that status.
    transaction_id: Option<i64>,
    /// The dues of the month. Of the dashboard's items also what is overdue.
    occurrences: Vec<OccurrenceView>,
}

pub(crate) type StatusView = WordView<Status>;

impl From<RecurringState> for RecurringView {
    fn from(state: RecurringState) -> Self {
        let (status, transaction_id) = (state.status(), state.transaction_id());
        let RecurringState { item, next_on, occurrences: dues } = state;
        RecurringView {
            id: item.id.0,
            profile_id: item.profile_id.0,
            kind: item.kind.into(),
            description: item.description,
            amount: MoneyView(item.amount),
            category_id: item.category_id.0,
            account_id: item.account_id.map(|id| id.0),
            day: item.day,
            schedule: item.schedule.into(),
            next_on: next_on.map(DateView),
            status: status.map(StatusView::from),
            transaction_id: transaction_id.map(|id| id.0),
            occurrences: dues.into_iter().map(OccurrenceView::from).collect(),
        }
    }
}
