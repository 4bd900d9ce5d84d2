//! The preview of a statement: reads a form and returns its checked rows, without saving anything.

pub(crate) mod form;
mod view;

use std::sync::Arc;

use actix_multipart::Multipart;
use actix_web::http::header::{CONTENT_TYPE, ContentType};
use actix_web::{HttpRequest, HttpResponse, post};
use finance_domain::account_keys::FileAccount;
use finance_domain::accounts::AccountKind;
use finance_domain::imports::{DayBalance, FileStatement, FormerRow, StatementRow};
use finance_domain::transactions::Kind;
use finance_domain::transfers::Phrases;
use finance_domain::use_cases::imports::{self, PreviewInput};
use finance_domain::{AccountId, Error, FieldErrors, Money, Violation};
use finance_statements::{Account, AccountStatement, CsvLayout, Options, Row, Statement, TextTest};
use form::{Form, PreviewForm, PreviewRequest};
use time::Date;
use view::{PreviewView, ReadFile};

use crate::banks::Bank;
use crate::deadline::Deadline;
use crate::problem::{Problem, Reply};
use crate::service::{Proved, Service, Shared};

/// Reads a statement and returns which of its rows are stored already. Saves nothing.
#[utoipa::path(tag = "imports", request_body(content = PreviewForm, content_type = "multipart/form-data"),
    responses((status = 200, body = PreviewView),
        (status = 415, description = "`ErrUnsupportedMedia`: neither OFX nor CSV nor a spreadsheet; `banks` says where to get one"),
        (status = 422, description = "`ErrValidation`, `ErrStatementUnreadable`")))]
#[post("/api/import/preview")]
pub(crate) async fn preview(
    service: Shared,
    proved: Proved,
    request: HttpRequest,
    parts: Result<Multipart, actix_web::Error>,
) -> Reply {
    let parts = form_parts(&request, parts)?;
    let permit = Arc::new(service.large_body(&proved).await?);
    let form = Form::read(parts, service.upload_bytes_max).await?;
    let PreviewRequest { file, target, mut options, chosen } = form.into_request()?;
    let context = service.context();
    options.on_card = target.is_credit_card || is_card(&service, &proved, target.account_id, context.today).await?;
    options.is_payment = Some(payment_texts(&context.phrases));
    options.latest = Some(target.effective_date().unwrap_or(context.today));
    let held = Arc::clone(&permit);
    let file = Arc::new(file);
    let read = |options: Options| {
        let (file, held) = (Arc::clone(&file), Arc::clone(&held));
        move |deadline: &Deadline| {
            let _permit = held;
            Ok(finance_statements::read_while(&file, &options, &|| deadline.lasts()))
        }
    };
    let refuse = |error| unreadable(&error, &service.banks);
    let mut statement = service.read_statement(&proved, read(options.clone())).await?.map_err(refuse)?;
    if !options.on_card
        && is_known_card(&service, &proved, &statement, target.account_id, &chosen, context.today).await?
    {
        options.on_card = true;
        statement = service.read_statement(&proved, read(options)).await?.map_err(refuse)?;
    }
    let Statement { format, rows, rejected, layout, due_date, accounts } = statement;
    let statements = file_statements(accounts, layout.as_ref());
    let lines: Vec<usize> = rows.iter().map(|row| row.line).collect();
    let rows: Vec<StatementRow> = rows.into_iter().map(statement_row).collect();
    let held = Arc::clone(&permit);
    let body = service.read_today(proved.caller(), move |repo| {
        let currencies: Vec<(usize, StatementRow)> =
            rows.iter().cloned().enumerate().filter(|(_, row)| row.currency.is_some()).collect();
        let input = PreviewInput { target, statements, chosen, rows, errors: FieldErrors::default() };
        let preview = imports::preview(repo, &context, input)?;
        let _permit = held;
        let read = ReadFile { format, lines, rejected, layout, due_date, currencies };
        serde_json::to_vec(&PreviewView::new(preview, read)).map_err(|error| Error::Internal(Box::new(error)))
    });
    let mut response = HttpResponse::Ok().content_type(ContentType::json()).body(body.await?);
    response.extensions_mut().insert(permit);
    Ok(response)
}

/// The parts of a form.
pub(crate) fn form_parts(
    request: &HttpRequest,
    parts: Result<Multipart, actix_web::Error>,
) -> Result<Multipart, Problem> {
    let is_form = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !is_form.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("multipart/form-data")) {
        return Err(Problem::unsupported_media("This route accepts multipart/form-data."));
    }
    parts.map_err(|error| Problem::malformed(format!("The form cannot be read: {error}.")))
}

/// Whether an account is a card.
async fn is_card(service: &Service, proved: &Proved, id: Option<AccountId>, today: Date) -> Result<bool, Problem> {
    let Some(id) = id else { return Ok(false) };
    let account = service.read(proved.caller(), move |repo| repo.account_get(id, today)).await?;
    Ok(account.is_some_and(|account| account.kind == AccountKind::Credit))
}

/// Whether a file that does not say so itself is that of a card, by the account that was chosen or learned for its one statement.
async fn is_known_card(
    service: &Service,
    proved: &Proved,
    statement: &Statement,
    account_id: Option<AccountId>,
    chosen: &[(Option<usize>, Option<AccountId>)],
    today: Date,
) -> Result<bool, Problem> {
    let layout = statement.layout.as_ref();
    let is_known = layout.is_some_and(|layout| layout.sign.is_some());
    if account_id.is_some() || is_known || statement.accounts.iter().any(|of| of.account.is_card()) {
        return Ok(false);
    }
    if let ([(_, id)], [_]) = (chosen, &statement.accounts[..]) {
        return is_card(service, proved, *id, today).await;
    }
    let [FileStatement { account: Some(account), .. }] = &file_statements(statement.accounts.clone(), layout)[..]
    else {
        return Ok(false);
    };
    let account = account.clone();
    let learned = service.read(proved.caller(), move |repo| {
        let key = repo.account_key_secret()?.key(&account);
        Ok(repo.account_keys_find(&[&key.reference])?.into_values().next())
    });
    is_card(service, proved, learned.await?, today).await
}

/// Whether a text on a card says that its bill was paid.
pub fn payment_texts(phrases: &Arc<Phrases>) -> TextTest {
    let phrases = Arc::clone(phrases);
    TextTest::new(move |text| phrases.evidence(text).paid_in)
}

/// Converts the statements of a file to the input of the use cases. Of a CSV file the layout takes the place of the bank.
pub fn file_statements(statements: Vec<AccountStatement>, layout: Option<&CsvLayout>) -> Vec<FileStatement> {
    let layout = layout.map(|layout| format!("csv {}", layout.headers.join("|").to_lowercase()));
    let file_statement = |statement: AccountStatement| {
        let Account { bank, branch, number, kind } = statement.account;
        let bank = layout.clone().or(bank).unwrap_or_default();
        let balance = |(date, cents): (Date, i64)| DayBalance { date, amount: Money::from_cents(cents.into()) };
        FileStatement {
            account: number.map(|number| FileAccount { bank, branch: branch.unwrap_or_default(), number }),
            kind: kind.map(|kind| match kind {
                finance_statements::AccountKind::Checking => AccountKind::Current,
                finance_statements::AccountKind::Savings => AccountKind::Savings,
                finance_statements::AccountKind::Card => AccountKind::Credit,
                finance_statements::AccountKind::Investment => AccountKind::Investment,
            }),
            currency: statement.currency.as_deref().map(str::to_string),
            balances: statement.balances.into_iter().map(balance).collect(),
        }
    };
    statements.into_iter().map(file_statement).collect()
}

/// The answer for a file that cannot be read.
pub(crate) fn unreadable(error: &finance_statements::Error, banks: &Arc<[Bank]>) -> Problem {
    match error {
        finance_statements::Error::Unsupported(_) => Problem::no_statement(error.to_string(), banks),
        finance_statements::Error::TooLarge(_) => Problem::statement_too_large(error.to_string()),
        finance_statements::Error::Stopped => Error::Unavailable("a statement could not be read in time".into()).into(),
        finance_statements::Error::Option { name, fault } => Problem::option(name, fault),
        finance_statements::Error::TooManyRows { rows_max } => {
            Error::invalid("file", Violation::TooMany { max: *rows_max as i64 }).into()
        }
        _ => Problem::statement_unreadable(error.to_string()),
    }
}

/// Converts a row of a statement to the input of the use cases.
pub fn statement_row(row: Row) -> StatementRow {
    let amount = Money::from_cents(row.cents.into());
    let former = row.former.map(|former| {
        let amount = Money::from_cents(former.cents.into());
        FormerRow { date: former.date, description: former.description, amount: amount.abs(), kind: Kind::of(amount) }
    });
    StatementRow {
        statement_description: row.statement_description,
        external_id: row.id,
        former,
        currency: row.currency.as_deref().map(str::to_string),
        category_name: row.category,
        statement: row.statement,
        ..StatementRow::new(row.date, row.description, amount.abs(), Kind::of(amount))
    }
}
