//! `/api/entries`: lines of text, read as entries.

use actix_web::post;
use actix_web::web::Json;
use finance_domain::FieldErrors;
use finance_domain::entries::{Candidate, Field as EntryField, Missing, Part, Span};
use finance_domain::use_cases::entries::{self, LineInput, ReadLine, Request};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::json::{Field, take_fields};
use crate::problem::Reply;
use crate::routes::imports::suggestion::CategorySuggestionView;
use crate::routes::transactions::KindView;
use crate::service::Shared;
use crate::views::{DateInput, DateView, MoneyView};
use crate::words::WordView;

/// A line to read.
#[derive(Deserialize, ToSchema)]
pub(crate) struct EntryLineBody {
    #[schema(value_type = String, min_length = 1, max_length = 1000, example = "mercado 54,90 ontem no nubank #casa")]
    text: Field<String>,
    /// The day on which it was written, at most 366 days before today. Today if absent.
    #[schema(value_type = Option<DateInput>)]
    on: Field<Date>,
}

type PartView = WordView<Part>;
type EntryFieldView = WordView<EntryField>;

/// What a line says.
#[derive(Serialize, ToSchema)]
#[schema(as = ParsedEntry)]
pub(crate) struct ParsedEntryView {
    /// The route that saves it by a POST. Null for a code, and while the bill is missing.
    #[schema(example = "/api/transactions")]
    path: Option<String>,
    /// The body for that route, ready to be sent if nothing is missing. What is not known is null. Null for a code.
    body: Option<EntryView>,
    /// The source of the suggested category; null if there is none.
    suggestion: Option<CategorySuggestionView>,
    /// What was understood, in the order of the line.
    understood: Vec<SpanView>,
    /// The fields that a person has to fill in.
    missing: Vec<MissingView>,
}

/// The body of the route that saves an entry.
#[derive(Serialize, ToSchema)]
#[schema(as = EntryToSend)]
#[serde(untagged)]
enum EntryView {
    /// Of `/api/transactions`.
    Transaction(TransactionEntryView),
    /// Of `/api/installments`.
    Installments(InstallmentsEntryView),
    /// Of `/api/transfers`.
    Transfer(TransferEntryView),
    /// Of `/api/credit-bills/{id}/pay`.
    Payment(PaymentEntryView),
}

#[derive(Serialize, ToSchema)]
#[schema(as = TransactionEntry)]
struct TransactionEntryView {
    /// Income or expense.
    #[serde(rename = "type")]
    kind: Option<KindView>,
    amount: Option<MoneyView>,
    date: Option<DateView>,
    description: Option<String>,
    /// Null if the line names none.
    account_id: Option<i64>,
    category_id: Option<i64>,
    tags: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = InstallmentsEntry)]
struct InstallmentsEntryView {
    account_id: Option<i64>,
    description: Option<String>,
    date: Option<DateView>,
    count: Option<i64>,
    /// Null if the line says the amount of each instalment.
    total_amount: Option<MoneyView>,
    /// Null if the line says the total.
    amount: Option<MoneyView>,
    category_id: Option<i64>,
    tags: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = TransferEntry)]
struct TransferEntryView {
    from_account_id: Option<i64>,
    to_account_id: Option<i64>,
    amount: Option<MoneyView>,
    date: Option<DateView>,
    description: Option<String>,
}

// Other bodies have these two fields among theirs, and a body is one of the four.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentEntry)]
#[serde(deny_unknown_fields)]
struct PaymentEntryView {
    /// Null if the line names none: then the payment is only recorded.
    account_id: Option<i64>,
    date: Option<DateView>,
}

/// A part of a line that was understood.
#[derive(Serialize, ToSchema)]
#[schema(as = UnderstoodPart)]
struct SpanView {
    /// Where it begins, in code points.
    start: usize,
    /// Where it ends, in code points.
    end: usize,
    #[schema(example = "ontem")]
    text: String,
    /// What it says.
    #[serde(rename = "as")]
    part: PartView,
}

impl From<Span> for SpanView {
    fn from(span: Span) -> Self {
        SpanView { start: span.start, end: span.end, text: span.text, part: span.part.into() }
    }
}

/// A field without a value.
#[derive(Serialize, ToSchema)]
#[schema(as = MissingField)]
struct MissingView {
    /// A field of the body, or `bill_id`.
    field: EntryFieldView,
    /// The values that fit, in order. Empty if nothing is known.
    candidates: Vec<CandidateView>,
}

/// A value that fits.
#[derive(Serialize, ToSchema)]
#[schema(as = EntryCandidate)]
struct CandidateView {
    /// As it is in the body.
    value: CandidateValueView,
    /// The name of the account, or of the bill's card; else the value.
    text: String,
}

/// An id, an amount or a date.
#[derive(Serialize, ToSchema)]
#[schema(as = EntryCandidateValue)]
#[serde(untagged)]
enum CandidateValueView {
    Id(i64),
    Text(String),
}

fn missing(line: &ReadLine, missing: &Missing) -> MissingView {
    let candidate = |candidate: &Candidate| CandidateView {
        value: match candidate {
            Candidate::Account(id) => CandidateValueView::Id(id.0),
            Candidate::Bill(id) => CandidateValueView::Id(id.0),
            Candidate::Amount(amount) => CandidateValueView::Text(amount.to_string()),
            Candidate::Date(date) => CandidateValueView::Text(date.to_string()),
        },
        text: line.text(candidate),
    };
    MissingView { field: missing.field.into(), candidates: missing.candidates.iter().map(candidate).collect() }
}

/// The route of a request, and its body.
fn entry(request: Request) -> (Option<String>, EntryView) {
    let known = |tags: Option<Vec<Option<String>>>| tags.into_iter().flatten().flatten().collect();
    match request {
        Request::Transaction(input) => (
            Some("/api/transactions".to_string()),
            EntryView::Transaction(TransactionEntryView {
                kind: input.kind.map(KindView::from),
                amount: input.amount.map(MoneyView),
                date: input.date.map(DateView),
                description: input.description,
                account_id: input.account_id.map(|id| id.0),
                category_id: input.category_id.map(|id| id.0),
                tags: known(input.tags),
            }),
        ),
        Request::Installments(input) => (
            Some("/api/installments".to_string()),
            EntryView::Installments(InstallmentsEntryView {
                account_id: input.account_id.map(|id| id.0),
                description: input.description,
                date: input.date.map(DateView),
                count: input.count,
                total_amount: input.total_amount.map(MoneyView),
                amount: input.amount.map(MoneyView),
                category_id: input.category_id.map(|id| id.0),
                tags: known(input.tags),
            }),
        ),
        Request::Transfer(input) => (
            Some("/api/transfers".to_string()),
            EntryView::Transfer(TransferEntryView {
                from_account_id: input.from_account_id.map(|id| id.0),
                to_account_id: input.to_account_id.map(|id| id.0),
                amount: input.amount.map(MoneyView),
                date: input.date.map(DateView),
                description: input.description,
            }),
        ),
        Request::Payment(bill_id, input) => (
            bill_id.map(|id| format!("/api/credit-bills/{id}/pay")),
            EntryView::Payment(PaymentEntryView {
                account_id: input.account_id.map(|id| id.0),
                date: input.date.map(DateView),
            }),
        ),
    }
}

impl From<ReadLine> for ParsedEntryView {
    fn from(mut line: ReadLine) -> Self {
        let missing = line.missing.iter().map(|field| missing(&line, field)).collect();
        let (path, body) = line.request.take().map(entry).unzip();
        ParsedEntryView {
            path: path.flatten(),
            body,
            suggestion: line.suggestion.map(CategorySuggestionView::from),
            understood: line.understood.into_iter().map(SpanView::from).collect(),
            missing,
        }
    }
}

/// Reads a line as an entry, in Portuguese or English: `mercado 54,90 ontem no nubank #casa`. Nothing is guessed and nothing is
/// saved: where two readings fit, the field is missing, with its candidates. If nothing is missing, the body can be sent to the
/// path. Bills of new periods are created first if the line pays one. A boleto or a Pix code has neither path nor body.
#[utoipa::path(tag = "entries", request_body = EntryLineBody, responses((status = 200, body = ParsedEntryView)))]
#[post("/api/entries/parse")]
pub(crate) async fn parse(
    service: Shared,
    user: Authenticated,
    body: Body<EntryLineBody>,
) -> Reply<Json<ParsedEntryView>> {
    let mut errors = FieldErrors::default();
    let input = take_fields!(body.value, &mut errors => LineInput { text, on; errors });
    let context = service.context();
    let line = service.read_today(user.caller, move |repo| entries::parse(repo, &context, input)).await?;
    Ok(Json(line.into()))
}
