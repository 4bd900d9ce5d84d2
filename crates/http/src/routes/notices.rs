//! `/api/notices`: what the member of the request is told, and how.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web::{Json, Path};
use actix_web::{HttpRequest, get, post, put};
use finance_domain::notices::{
    Channel, ClockTime, EmailAddress, KindInput, KindPreferences, Language, Limits, Notice, NoticeFilter, NoticeKind,
    NoticeParams, Preferences, PreferencesInput, Texts,
};
use finance_domain::use_cases::notice_channels;
use finance_domain::use_cases::notices::{self, Listed};
use finance_domain::{FieldErrors, NoticeId, Repo, Violation};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::{Body, OptionalBody};
use crate::extract::idempotency::{Idempotent, answered};
use crate::extract::json::{Change, Field, FieldValue, FromJson, Ids, Object, take_fields};
use crate::extract::query::{PageQuery, Param, Params};
use crate::page::Page;
use crate::problem::Reply;
use crate::routes::notice_channels::EmailView;
use crate::service::{Service, Shared};
use crate::views::{DateInput, DateView, InstantView, MoneyView};
use crate::words::WordView;

pub(crate) type KindView = WordView<NoticeKind>;
pub(crate) type ChannelView = WordView<Channel>;
pub(crate) type LanguageView = WordView<Language>;

/// What a notice names. Each kind has some of these fields.
#[derive(Serialize, ToSchema)]
#[schema(as = NoticeParams)]
pub(crate) struct ParamsView {
    /// The account, or the card of a bill.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    account_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    credit_bill_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    category_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    recurring_id: Option<i64>,
    /// The row, or both rows, the earlier one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    transaction_ids: Vec<i64>,
    /// The name of the account, item, category or payee, at the time of the notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    name: Option<String>,
    /// The day on which the bill or item is due or closed, the balance goes below zero, or the last statement ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    date: Option<DateView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-03", required = false)]
    month: Option<String>,
    /// What is due, was closed, expected, spent or charged; the lowest balance of the month.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    amount: Option<MoneyView>,
    /// The amount of the months before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    before: Option<MoneyView>,
    /// The percent of the budget that is reached: one of `percents`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    percent: Option<i16>,
    /// The days that are left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    days: Option<i16>,
    /// How many rows the week had.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    rows: Option<i32>,
    /// How many bills and items are due in the week to come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    due: Option<i32>,
}

impl From<NoticeParams> for ParamsView {
    fn from(params: NoticeParams) -> Self {
        ParamsView {
            account_id: params.account_id.map(|id| id.0),
            credit_bill_id: params.bill_id.map(|id| id.0),
            category_id: params.category_id.map(|id| id.0),
            recurring_id: params.recurring_id.map(|id| id.0),
            transaction_ids: params.transaction_id.into_iter().chain(params.repeated_id).map(|id| id.0).collect(),
            name: params.name,
            date: params.date.map(DateView),
            month: params.month.map(|month| month.to_string()),
            amount: params.amount.map(MoneyView),
            before: params.before.map(MoneyView),
            percent: params.percent,
            days: params.days,
            rows: params.rows,
            due: params.due,
        }
    }
}

/// A notice of the member. It is told once for its kind and subject.
#[derive(Serialize, ToSchema)]
#[schema(as = Notice)]
pub(crate) struct NoticeView {
    id: i64,
    kind: KindView,
    /// What it is about, exactly: ids, dates and thresholds, separated by `:`.
    #[schema(example = "12:3")]
    subject: String,
    params: ParamsView,
    /// In the member's language, without amounts.
    #[schema(example = "Fatura Nubank vence em 3 dias")]
    title: String,
    /// In the member's language.
    body: String,
    /// The page that shows more.
    #[schema(example = "/cards")]
    url: &'static str,
    created_at: InstantView,
    read_at: Option<InstantView>,
    /// The day until which it is put off.
    snoozed_until: Option<DateView>,
    /// When its cause was gone, or a nearer notice followed. It stays in the list.
    settled_at: Option<InstantView>,
}

/// A notice with what it is written by.
struct Written {
    notice: Notice,
    language: Language,
    texts: Arc<Texts>,
}

impl From<Written> for NoticeView {
    fn from(Written { notice, language, texts }: Written) -> Self {
        let text = texts.say(language, notice.kind, &notice.params, true);
        NoticeView {
            url: notice.url(),
            id: notice.id.0,
            kind: notice.kind.into(),
            subject: notice.subject,
            params: notice.params.into(),
            title: text.title,
            body: text.body,
            created_at: InstantView(notice.created_at),
            read_at: notice.read_at.map(InstantView),
            snoozed_until: notice.snoozed_until.map(DateView),
            settled_at: notice.settled_at.map(InstantView),
        }
    }
}

fn written(listed: Listed, texts: &Arc<Texts>) -> Vec<Written> {
    let language = listed.preferences.language;
    let notices = listed.notices.into_iter();
    notices.map(|notice| Written { notice, language, texts: Arc::clone(texts) }).collect()
}

/// Which notices to list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct NoticeQuery {
    /// Only those that the member has not read, or only those that it has.
    #[param(value_type = Option<bool>)]
    unread: Param,
}

/// The member's notices, newest first, of the last 90 days: at most 1,000. Those that have become due are stored first; those whose
/// cause is gone are settled.
#[utoipa::path(tag = "notices", params(NoticeQuery, PageQuery), responses((status = 200, body = [NoticeView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/notices")]
pub(crate) async fn list(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    query: Params<NoticeQuery>,
    page: Params<PageQuery>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let is_unread = query.value.unread.flag("unread", &mut errors);
    let (after, limit) = page.value.after(&mut errors, |place| place.parse().ok().map(NoticeId));
    errors.into_result()?;
    let (context, texts) = (service.context(), Arc::clone(&service.notice_texts));
    // One row more than the page holds shows whether there is another page.
    let filter = NoticeFilter { is_unread, after, limit: limit + 1 };
    let listed = service.flow_today(user.caller, move |repo| notices::list(repo, &context, filter)).await?;
    let page = Page::new::<NoticeView, _>(written(listed, &texts), limit, |last| last.notice.id.to_string())?;
    Ok(page.response(&request))
}

/// Which notices were read.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NoticesReadBody {
    /// All of the member if absent.
    #[serde(default)]
    #[schema(value_type = Option<Vec<i64>>, max_items = 1000)]
    ids: Ids,
}

/// How many notices were marked.
#[derive(Serialize, ToSchema)]
#[schema(as = NoticesRead)]
pub(crate) struct ReadView {
    /// How many of them were unread.
    read: usize,
}

/// Marks notices of the member as read.
#[utoipa::path(tag = "notices", request_body = Option<NoticesReadBody>, responses((status = 200, body = ReadView),
    (status = 404, description = "`ErrNotFound`: one of the ids is not of the member")))]
#[post("/api/notices/read")]
pub(crate) async fn read(
    service: Shared,
    Idempotent { post, body }: Idempotent<OptionalBody<NoticesReadBody>>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let ids = body.value.ids.take_ids("ids", &mut errors, NoticeId);
    if ids.as_ref().is_some_and(|ids| ids.len() > finance_domain::notices::NOTICES_LISTED_MAX) {
        let max = finance_domain::notices::NOTICES_LISTED_MAX as i64;
        errors.push("ids", Violation::TooManyElements { max });
    }
    let work = move |repo: &mut dyn Repo| notices::read(repo, ids, errors);
    post.write(&service, work, |read| answered(StatusCode::OK, ReadView { read })).await
}

/// Until when a notice is put off.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NoticeSnoozeBody {
    /// 1 to 30 days ahead. Null: it is not put off any longer.
    #[serde(default)]
    #[schema(value_type = Option<DateInput>, required = true)]
    until: Change<Date>,
}

/// Puts a notice of the member off until a day: it is sent again that day at `hour`. It stays in the list, with that day.
#[utoipa::path(tag = "notices", request_body = NoticeSnoozeBody, responses((status = 200, body = NoticeView)))]
#[post("/api/notices/{id}/snooze")]
pub(crate) async fn snooze(
    service: Shared,
    id: Path<i64>,
    Idempotent { post, body }: Idempotent<Body<NoticeSnoozeBody>>,
) -> Reply {
    let (today, texts) = (service.clock.today(), Arc::clone(&service.notice_texts));
    let mut errors = FieldErrors::default();
    let until = body.value.until.take("until", &mut errors);
    let work = move |repo: &mut dyn Repo| notices::snooze(repo, today, NoticeId(*id), until, errors);
    let answer = move |listed: Listed| match written(listed, &texts).pop() {
        Some(written) => answered(StatusCode::OK, NoticeView::from(written)),
        None => Err(finance_domain::Error::NotFound("notice")),
    };
    post.write(&service, work, answer).await
}

/// How one kind is told.
#[derive(Serialize, ToSchema)]
#[schema(as = NoticeKindPreferences)]
pub(crate) struct KindPreferencesView {
    /// Where it is told; nowhere if empty.
    #[schema(value_type = Vec<ChannelView>)]
    channels: Vec<ChannelView>,
    /// Days before or after: up to three for `bill_due` and `recurring_due`, one for `recurring_late`, `balance` and
    /// `statement_missing`, absent for the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    days: Option<Vec<i16>>,
    /// Percents of a budget: up to three for `budget`, absent for the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    percents: Option<Vec<i16>>,
}

impl KindPreferencesView {
    fn new(kind: NoticeKind, of: &KindPreferences) -> Self {
        let limits = of.limits.clone();
        let (days, percents) = match Limits::of(kind) {
            Limits::Nothing => (None, None),
            Limits::Day | Limits::Days => (Some(limits), None),
            Limits::Percents => (None, Some(limits)),
        };
        KindPreferencesView { channels: of.channels.iter().map(|channel| (*channel).into()).collect(), days, percents }
    }
}

/// What the member wants to be told, where and when.
#[derive(Serialize, ToSchema)]
#[schema(as = NoticePreferences)]
pub(crate) struct PreferencesView {
    /// From when on a day's notices are sent. `budget`, `bill_closed`, `price_changed` and `repeated_charge` do not wait for it, nor does the
    /// list.
    #[schema(example = "09:00")]
    hour: String,
    /// From when on nothing is sent. It is in the list at once.
    #[schema(example = "21:00")]
    quiet_from: String,
    /// Until when nothing is sent. What came meanwhile is sent then. Equal to `quiet_from`: there are no quiet hours.
    #[schema(example = "08:00")]
    quiet_to: String,
    /// Whether what leaves the machine has amounts.
    amounts: bool,
    language: LanguageView,
    /// The member's address, see `POST /api/notices/email`; null if there is none.
    email: Option<EmailView>,
    /// The key that devices sign up with, for `PushManager.subscribe`; null if push is not configured.
    push_key: Option<String>,
    /// By kind.
    #[schema(value_type = std::collections::BTreeMap<String, KindPreferencesView>)]
    kinds: BTreeMap<&'static str, KindPreferencesView>,
}

impl PreferencesView {
    fn new((of, email): (Preferences, EmailAddress), service: &Service) -> Self {
        PreferencesView {
            hour: of.hour.to_string(),
            quiet_from: of.quiet_from.to_string(),
            quiet_to: of.quiet_to.to_string(),
            amounts: of.amounts,
            language: of.language.into(),
            email: EmailView::of(email),
            push_key: service.notice_sender.push_key().map(str::to_string),
            kinds: of.kinds().map(|(kind, of)| (kind.as_str(), KindPreferencesView::new(kind, of))).collect(),
        }
    }
}

/// What the member wants to be told, where and when.
#[utoipa::path(tag = "notices", responses((status = 200, body = PreferencesView)))]
#[get("/api/notices/preferences")]
pub(crate) async fn preferences(service: Shared, user: Authenticated) -> Reply<Json<PreferencesView>> {
    let work = |repo: &mut dyn Repo| Ok((notices::preferences(repo)?, notice_channels::email(repo)?));
    let found = service.read(user.caller, work).await?;
    Ok(Json(PreferencesView::new(found, &service)))
}

/// How one kind is to be told. What is absent stays.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NoticeKindBody {
    #[schema(value_type = Option<Vec<ChannelView>>)]
    channels: Field<Vec<Field<Channel>>>,
    /// Up to three of 0 to 30 for `bill_due` and `recurring_due`; one for `recurring_late`, `balance` and `statement_missing`.
    #[schema(value_type = Option<Vec<i64>>, min_items = 1, max_items = 3)]
    days: Field<Numbers>,
    /// Up to three of 1 to 200, for `budget`.
    #[schema(value_type = Option<Vec<i64>>, min_items = 1, max_items = 3)]
    percents: Field<Numbers>,
}

/// Whole numbers: an array of them, or one by itself.
pub(crate) struct Numbers(Vec<Field<i64>>);

impl FromJson for Numbers {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Number(digits) => {
                i64::from_json(FieldValue::Number(digits)).map(|one| Numbers(vec![Field::Value(one)]))
            }
            value => Vec::from_json(value).map(Numbers),
        }
    }
}

/// What the member wants to be told from now on. What is absent stays.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NoticePreferencesBody {
    #[schema(value_type = Option<String>, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", example = "09:00")]
    hour: Field<ClockTime>,
    #[schema(value_type = Option<String>, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", example = "21:00")]
    quiet_from: Field<ClockTime>,
    #[schema(value_type = Option<String>, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", example = "08:00")]
    quiet_to: Field<ClockTime>,
    #[schema(value_type = Option<bool>)]
    amounts: Field<bool>,
    #[schema(value_type = Option<LanguageView>)]
    language: Field<Language>,
    /// By kind. A kind that is absent stays.
    #[schema(value_type = Option<std::collections::BTreeMap<String, NoticeKindBody>>)]
    kinds: Field<Kinds>,
}

/// Kinds by their words, each an object or something else.
pub(crate) struct Kinds(BTreeMap<String, Object<NoticeKindBody>>);

impl FromJson for Kinds {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Nested(raw) => serde_json::from_str(raw).map(Kinds).map_err(|_| Violation::NotAnObject),
            _ => Err(Violation::NotAnObject),
        }
    }
}

impl FromJson for ClockTime {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        String::from_json(value)?.parse()
    }
}

impl NoticePreferencesBody {
    fn into_input(self) -> PreferencesInput {
        let mut errors = FieldErrors::default();
        let mut kinds = Vec::new();
        for (word, Object(of)) in self.kinds.take("kinds", &mut errors).map(|kinds| kinds.0).unwrap_or_default() {
            let name = format!("kinds.{word}");
            // An unknown kind is reported as such, whatever it has.
            let is_known = word.parse::<NoticeKind>().is_ok();
            match of {
                Some(of) if is_known => kinds.push((word, of.into_input(&name, &mut errors))),
                None if is_known => errors.push(name, Violation::NotAnObject),
                _ => kinds.push((word, KindInput::default())),
            }
        }
        take_fields!(self, &mut errors => PreferencesInput {
            hour, quiet_from, quiet_to, amounts, language;
            kinds, errors
        })
    }
}

impl NoticeKindBody {
    fn into_input(self, name: &str, errors: &mut FieldErrors) -> KindInput {
        fn each<T>(given: Vec<Field<T>>, field: &str, errors: &mut FieldErrors) -> Vec<Option<T>> {
            let mut take = |(at, one): (usize, Field<T>)| match one {
                Field::Absent => {
                    errors.push(format!("{field}[{at}]"), Violation::Required);
                    None
                }
                one => one.take(&format!("{field}[{at}]"), errors),
            };
            given.into_iter().enumerate().map(&mut take).collect()
        }
        let fields = ["channels", "days", "percents"].map(|field| format!("{name}.{field}"));
        let [channels, days, percents] = &fields;
        KindInput {
            channels: self.channels.take(channels, errors).map(|given| each(given, channels, errors)),
            days: self.days.take(days, errors).map(|given| each(given.0, days, errors)),
            percents: self.percents.take(percents, errors).map(|given| each(given.0, percents, errors)),
        }
    }
}

/// Changes what the member wants to be told.
#[utoipa::path(tag = "notices", request_body = NoticePreferencesBody, responses((status = 200, body = PreferencesView)))]
#[put("/api/notices/preferences")]
pub(crate) async fn set_preferences(
    service: Shared,
    user: Authenticated,
    body: Body<NoticePreferencesBody>,
) -> Reply<Json<PreferencesView>> {
    let input = body.value.into_input();
    let set = move |repo: &mut dyn Repo| Ok((notices::set_preferences(repo, input)?, notice_channels::email(repo)?));
    let stored = service.write(user.caller, set).await?;
    Ok(Json(PreferencesView::new(stored, &service)))
}
