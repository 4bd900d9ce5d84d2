//! The generic view of enumerations that are sent as words.

use std::borrow::Cow;

use finance_domain::accounts::{AccountKind, YieldType};
use finance_domain::anchors::{AnchorSource, SuspectKind};
use finance_domain::budgets::FillFrom;
use finance_domain::categories::{Carry, TaxKind};
use finance_domain::changes::{Noun, Op as ChangeOp};
use finance_domain::credentials::{Role, Scope};
use finance_domain::credit_bills::BillStatus;
use finance_domain::entries::{Field as EntryField, Part};
use finance_domain::forecast::{Baseline, EventKind};
use finance_domain::gamification::{CosmeticKind, Period};
use finance_domain::imports::StatementFormat;
use finance_domain::inbox::InboxState;
use finance_domain::installments::PlanStatus;
use finance_domain::notices::{Channel, Language, NoticeKind};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::recurring::{CodeKind, DueDayCount, Expects, Status, Unit, Weekend};
use finance_domain::reports::flow::{Compare, FlowBy, Interval};
use finance_domain::rules::{ActionKind, Field as RuleField, Matching, Op};
use finance_domain::sessions::Remember;
use finance_domain::suggestions::SuggestionSource;
use finance_domain::transactions::{DateBasis, FlowKind, Kind, Source};
use finance_domain::transfers::{Confidence, TransferKind};
use finance_domain::webhooks::{DeliveryState, EventType, Failure};
use finance_domain::yields::{DayCount, YieldTax};
use finance_domain::{Violation, Word};
use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::extract::json::{FieldValue, FromJson};

/// An enumeration with its name and description in the OpenAPI document.
pub(crate) trait WordSchema: Word {
    /// The name of the schema.
    const NAME: &'static str;
    /// The description of the schema.
    const DESCRIPTION: &'static str;
}

/// A value that is sent as its word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordView<T>(T);

impl<T: Word> From<T> for WordView<T> {
    fn from(value: T) -> Self {
        WordView(value)
    }
}

impl<T: Word> Serialize for WordView<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<T: WordSchema> PartialSchema for WordView<T> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .description(Some(T::DESCRIPTION))
            .enum_values(Some(T::ALL.iter().map(|value| value.as_str())))
            .into()
    }
}

impl<T: WordSchema> ToSchema for WordView<T> {
    fn name() -> Cow<'static, str> {
        T::NAME.into()
    }
}

/// Implements [`WordSchema`], and [`FromJson`] for fields of bodies.
macro_rules! words {
    ($($type:ty => $name:literal, $description:literal;)+) => {$(
        impl WordSchema for $type {
            const NAME: &'static str = $name;
            const DESCRIPTION: &'static str = $description;
        }

        impl FromJson for $type {
            fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
                String::from_json(value)?.parse()
            }
        }
    )+};
}

words! {
    AccountKind => "AccountKind", "The kind of an account.";
    ActionKind => "RuleActionKind", "What a rule does with a row: sets its category, renames it, tags it, makes it a transfer whose \
        other side is not stored here, or skips it in imports.";
    AnchorSource => "AnchorSource", "Who says what an account held: a person, or the file of an import.";
    Baseline => "ForecastBaseline", "The estimate of spending in addition to known events: none, or the median of the last \
        three complete months.";
    BillStatus => "BillStatus", "Whether a bill is paid.";
    Confidence => "Confidence", "Whether a transfer is done, or only suggested.";
    CosmeticKind => "CosmeticType", "The slot of a cosmetic. One cosmetic of each slot is worn at a time.";
    Carry => "Carry", "What is left of a month's budget in the next month: nothing, what was not spent, or also what was spent too \
        much.";
    ChangeOp => "ChangeOp", "What became of a row.";
    Compare => "ReportCompare", "The period that a report is compared with: none, the one before, or the same days a year before.";
    DateBasis => "DateBasis", "Which date of a transaction counts: its date, or the day of the purchase if it has one.";
    FillFrom => "BudgetSource", "What budgets are set to: those of the month before, the mean of the 3 or 12 months before, or what was \
        spent in the month a year before.";
    FlowBy => "ReportBy", "What the rows of a report are.";
    FlowKind => "ReportKind", "Which transactions a report is about: expenses and their refunds, incomes that are no refunds, or all. \
        Of a split transaction each line is judged by itself.";
    Interval => "ReportInterval", "The intervals of a report.";
    EntryField => "EntryField", "A field that may be missing in an entry.";
    EventKind => "ForecastEventKind", "What an event comes from: a stored transaction of a later date, a recurring item, a bill \
        of a card, or a held statement.";
    Kind => "TransactionType", "Whether money came in or went out.";
    Matching => "RuleMatch", "Whether a row must meet all or any of the conditions.";
    Op => "RuleOp", "How a condition compares.";
    Noun => "ChangeNoun", "What a row is. Lines and links are parts of a transaction, budgets of a category, days, dates and balances \
        of an account, payments of a bill, marks of a recurring item, conditions and actions of a rule.";
    Channel => "NoticeChannel", "Where a notice is to be told: in the list (`page`), on the member's devices (`push`), or by e-mail \
        (`email`), once its address is confirmed.";
    Language => "NoticeLanguage", "The language of what is told.";
    NoticeKind => "NoticeKind", "What a notice is about: a bill that is due or closed; a recurring item that is due or late; a part of a \
        budget that is spent; a balance below zero; a missing statement; a changed price; a repeated charge; the week.";
    PendingBillStatus => "PendingBillStatus", "Whether a held statement was confirmed.";
    Period => "QuestType", "How long a quest lasts before it starts again. Weeks start on Mondays.";
    PlanStatus => "InstallmentPlanStatus", "Whether instalments of a plan are still to come. A stale plan had none for more than three bills.";
    Remember => "Remember", "How the secret of a device is kept: by the client, or in a cookie of the browser.";
    Role => "Role", "What a member may do: everything; everything except members and exports; or only reading.";
    Part => "EntryPart", "What a part of a line says.";
    Scope => "Scope", "What a token allows: reading; importing; reading, importing and every change; exports; the calendar; or \
        entering transactions, instalments and transfers.";
    RuleField => "RuleField", "The field that a condition compares. The description is that of the statement, and the day that of its date.";
    Source => "TransactionSource", "The origin of a transaction.";
    InboxState => "InboxState", "What became of a file: it waits, was imported, or was dismissed.";
    StatementFormat => "StatementFormat", "The file format of a statement.";
    CodeKind => "RecurringCodeKind", "The kind of a code: a boleto, a collection of taxes or utilities, or a Pix.";
    DueDayCount => "RecurringDayCount", "How `day` counts: the day of the month, its k-th business day (Monday to Friday, no holiday), or \
        its k-th day for wages (Saturdays too).";
    Expects => "RecurringExpects", "Which amount is expected: that of the item, what came last, or the mean of what came the last three \
        times.";
    Status => "RecurringStatus", "The status of a due of a recurring item, or of the item in a month.";
    Unit => "RecurringUnit", "The unit of a rhythm.";
    Weekend => "RecurringWeekend", "Where a due moves that is on no business day: nowhere, or to the nearest one before or after.";
    SuggestionSource => "SuggestionSource", "The source of a suggested category: a rule, the same description, an earlier instalment, \
        the same payee, categorised rows with similar names, or a dictionary of trades and chains.";
    SuspectKind => "SuspectKind", "Why a row may be the cause of a difference: it has the wrong sign, it is too many, or an import \
        left it out.";
    TaxKind => "TaxKind", "How the expenses of a category count in the yearly income tax return (IRPF).";
    TransferKind => "TransferKind", "Why a row is a transfer: it was entered here before, it pays a card's bill, or it moves \
        money between own accounts.";
    DeliveryState => "WebhookDeliveryState", "Whether a delivery is still to be sent, was accepted, or was abandoned after a day.";
    EventType => "WebhookEvent", "What a webhook is notified of: rows of a statement were stored; a bill closed; a bill is due within \
        three days and not paid; the budget of a category was exceeded this month; a transaction was entered.";
    Failure => "WebhookFailure", "Why an attempt failed: the name has no address, or one in a private network; no answer in time; no \
        connection; a redirect; or a status that is not a success.";
    DayCount => "YieldDayCount", "What a day without a published CDI rate earns: the last rate, or nothing, which is how contracts \
        pay. 100 % of the CDI rate over 2024 is 16.12 % by `calendar` and 10.88 % by `business`.";
    YieldTax => "YieldTax", "Whether yield is taxed: not at all (LCI, LCA, poupança), or with IOF and the regressive income tax.";
    YieldType => "YieldType", "Whether and how an account yields.";
}
