//! The OpenAPI document, generated from the handlers.

mod needs;
mod page;

use std::sync::LazyLock;

use actix_web::dev::HttpServiceFactory;
use actix_web::http::{Method, StatusCode};
use actix_web::web::{Bytes, ServiceConfig};
use actix_web::{App, HttpResponse, get};
use finance_domain::Word;
use finance_domain::credentials::{Need, Role};
use finance_domain::idempotency::KEY_CHARS_MAX;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{Content, HeaderBuilder, InfoBuilder, License, OpenApi, Ref, RefOr, Required, Response, Server};
use utoipa::{PartialSchema, Path, ToSchema};
use utoipa_actix_web::{AppExt, OpenApiFactory, service_config};

use crate::changes::{CHANGE_HEADER, RECORDED};
use crate::entity_tags;
use crate::extract::idempotency::{KEY_HEADER, REPLAYED_HEADER, WITHOUT_KEY};
use crate::problem::{PROBLEM_JSON, ProblemView};
use crate::routes::{
    account_keys, accounts, anchors, appearance, auth, budgets, calendar, categories, changes, credit_bills, dashboard,
    entries, export, forecast, gamification, health, imports, inbox, installments, members, net_worth, notice_channels,
    notices, pending_bills, recurring, reports, rules, second_factor, sessions, settings, tags, tokens, transactions,
    transfers, webhooks,
};

pub(crate) use needs::need;
pub(crate) use page::docs_slash;

/// What is made from the list of routes: the router, of which each worker of the server has one, or the document.
pub(crate) trait RouteList {
    fn service<R: HttpServiceFactory + OpenApiFactory + Path + 'static>(&mut self, route: R) -> &mut Self;
}

impl RouteList for service_config::ServiceConfig<'_> {
    fn service<R: HttpServiceFactory + OpenApiFactory + Path + 'static>(&mut self, route: R) -> &mut Self {
        service_config::ServiceConfig::service(self, route)
    }
}

/// The router, to which only the routes with a parameter are added, or only those without.
struct PartOfRouter<'a> {
    config: &'a mut ServiceConfig,
    has_parameter: bool,
}

impl RouteList for PartOfRouter<'_> {
    fn service<R: HttpServiceFactory + OpenApiFactory + Path + 'static>(&mut self, route: R) -> &mut Self {
        if R::path().contains('{') == self.has_parameter {
            self.config.service(route);
        }
        self
    }
}

/// The router of all routes. It tries them in the order in which they are added, and compares each one that has a parameter by a regular
/// expression. So the routes without a parameter are added first. That saves a tenth of the service's time for a short answer.
pub(crate) fn router(config: &mut ServiceConfig) {
    for has_parameter in [false, true] {
        routes(&mut PartOfRouter { config, has_parameter });
    }
}

/// All routes of the service. The router and the document are both made from this list.
fn routes(config: &mut impl RouteList) {
    config
        .service(auth::login)
        .service(auth::accept)
        .service(auth::me)
        .service(auth::change_password)
        .service(auth::logout)
        .service(sessions::renew)
        .service(sessions::list)
        .service(sessions::end_all)
        .service(sessions::end)
        .service(second_factor::begin)
        .service(second_factor::confirm)
        .service(second_factor::remove)
        .service(tokens::list)
        .service(tokens::create)
        .service(tokens::delete)
        .service(members::list)
        .service(members::invitations)
        .service(members::invite)
        .service(members::withdraw)
        .service(members::link)
        .service(members::update)
        .service(members::delete)
        .service(webhooks::list)
        .service(webhooks::create)
        .service(webhooks::delete)
        .service(webhooks::deliveries)
        .service(webhooks::send_again)
        .service(calendar::read)
        .service(categories::list)
        .service(categories::create)
        .service(categories::get)
        .service(categories::update)
        .service(categories::delete)
        .service(budgets::read)
        .service(budgets::set)
        .service(budgets::fill)
        .service(accounts::list)
        .service(accounts::create)
        .service(accounts::get)
        .service(accounts::balances)
        .service(accounts::yields)
        .service(accounts::update)
        .service(accounts::delete)
        .service(account_keys::keys)
        .service(account_keys::forget_keys)
        .service(anchors::list)
        .service(anchors::get)
        .service(anchors::put)
        .service(anchors::delete)
        .service(anchors::adjust)
        .service(entries::parse)
        .service(transactions::list)
        .service(transactions::create)
        .service(transactions::delete_month)
        .service(transactions::summary)
        .service(transactions::descriptions::descriptions)
        .service(transactions::bulk::update_many)
        .service(transactions::bulk::delete_many)
        .service(transactions::payee::payee)
        .service(transactions::get)
        .service(transactions::update)
        .service(transactions::delete)
        .service(tags::list)
        .service(transfers::create)
        .service(transfers::suggestions)
        .service(transfers::link)
        .service(transfers::reject)
        .service(transfers::detect)
        .service(transfers::unlink)
        .service(transfers::get)
        .service(transfers::delete)
        .service(imports::preview::preview)
        .service(imports::confirm::confirm)
        .service(imports::list)
        .service(imports::undo)
        .service(inbox::receive)
        .service(inbox::list)
        .service(inbox::get)
        .service(inbox::file)
        .service(inbox::update)
        .service(inbox::delete)
        .service(rules::list)
        .service(rules::create)
        .service(rules::test)
        .service(rules::apply)
        .service(rules::get)
        .service(rules::update)
        .service(rules::delete)
        .service(pending_bills::list)
        .service(pending_bills::get)
        .service(pending_bills::confirm)
        .service(pending_bills::discard)
        .service(credit_bills::list)
        .service(credit_bills::upcoming)
        .service(credit_bills::forget_changed)
        .service(credit_bills::get)
        .service(credit_bills::set_dates)
        .service(credit_bills::pay)
        .service(credit_bills::unpay)
        .service(installments::list)
        .service(installments::create)
        .service(installments::get)
        .service(installments::update)
        .service(installments::delete)
        .service(recurring::list)
        .service(recurring::create)
        .service(recurring::occurrences)
        .service(recurring::templates)
        .service(recurring::suggestions)
        .service(recurring::accept)
        .service(recurring::reject)
        .service(recurring::parse)
        .service(recurring::link)
        .service(recurring::unlink)
        .service(recurring::get)
        .service(recurring::update)
        .service(recurring::delete)
        .service(recurring::confirm)
        .service(recurring::late)
        .service(recurring::unlate)
        .service(recurring::ignore)
        .service(recurring::unignore)
        .service(changes::list)
        .service(changes::get)
        .service(changes::undo)
        .service(changes::of_transaction)
        .service(dashboard::read)
        .service(notices::list)
        .service(notices::read)
        .service(notices::preferences)
        .service(notices::set_preferences)
        .service(notices::snooze)
        .service(notice_channels::devices)
        .service(notice_channels::sign_up)
        .service(notice_channels::remove)
        .service(notice_channels::test)
        .service(notice_channels::ask)
        .service(notice_channels::confirm)
        .service(notice_channels::remove_email)
        .service(settings::get)
        .service(settings::update)
        .service(forecast::read)
        .service(net_worth::read)
        .service(reports::irpf::income_tax)
        .service(reports::flow::flow)
        .service(reports::year::year)
        .service(export::read)
        .service(export::restore::restore)
        .service(gamification::profile)
        .service(gamification::xp_events)
        .service(gamification::quests)
        .service(gamification::achievements)
        .service(gamification::cosmetics)
        .service(gamification::equip)
        .service(gamification::unequip)
        .service(appearance::get)
        .service(appearance::update)
        .service(appearance::draw)
        .service(health::live)
        .service(health::ready)
        .service(serve_document)
        .service(page::docs)
        .service(page::docs_asset);
}

/// The tags, in the order of the document.
const TAGS: [(&str, &str); 29] = [
    ("auth", "Login and passwords."),
    ("tokens", "Credentials for programs."),
    ("members", "The people with access to a profile."),
    ("webhooks", "Addresses that receive events."),
    ("calendar", "Due dates, for calendars."),
    ("categories", "Categories of income and spending, with monthly budgets."),
    ("budgets", "Budgets by month."),
    ("accounts", "Current, savings and investment accounts, and credit cards."),
    ("entries", "Lines of text, read as entries."),
    ("transactions", "Income and expenses."),
    ("tags", "Tags of transactions."),
    ("transfers", "Transfers between own accounts."),
    ("imports", "Import of bank statements."),
    ("inbox", "Files that wait to be imported."),
    ("rules", "Rules for rows of statements: categories, names, tags, transfers, and rows to leave out."),
    ("pending bills", "Card statements held until their payment date."),
    ("credit bills", "Credit card bills."),
    ("installments", "Purchases by instalments."),
    ("recurring", "Income and expenses expected in a rhythm."),
    ("changes", "What was changed, and undoing it."),
    ("dashboard", "A month at a glance."),
    ("forecast", "The months ahead."),
    ("net worth", "The balances of accounts month by month."),
    ("reports", "Where money came from and went, a year, and the yearly income tax return."),
    ("notices", "What a member is told in time."),
    ("settings", "Settings of a profile."),
    ("gamification", "XP, levels, quests, achievements and cosmetics."),
    ("health", "Liveness and readiness."),
    ("document", "This document, and the page that shows it."),
];

pub(crate) static DOCUMENT: LazyLock<OpenApi> = LazyLock::new(|| {
    let (_, mut document) = App::new().into_utoipa_app().configure(|config| routes(config)).split_for_parts();
    complete(&mut document);
    document
});

static DOCUMENT_JSON: LazyLock<String> = LazyLock::new(|| DOCUMENT.to_pretty_json().unwrap_or_default());

/// The OpenAPI document, as JSON.
pub fn document() -> &'static str {
    &DOCUMENT_JSON
}

/// Adds to every operation its id, the token, and its problems.
fn complete(document: &mut OpenApi) {
    document.info = InfoBuilder::new()
        .title("Finance")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Personal finance: transactions, categories with budgets, accounts, statement import and a monthly \
             dashboard. Money is a decimal string with two decimals; requests may also use a JSON number.",
        ))
        .license(Some(License::builder().name("MIT").identifier(Some("MIT")).build()))
        .build();
    let tags = TAGS.map(|(name, description)| TagBuilder::new().name(name).description(Some(description)).build());
    document.tags = Some(tags.to_vec());
    document.servers = Some(vec![Server::new("/")]);
    let components = document.components.get_or_insert_default();
    components.add_security_scheme(
        "bearer",
        SecurityScheme::Http(
            Http::builder()
                .scheme(HttpAuthScheme::Bearer)
                .description(Some(
                    "The token of a login, which may do what the member's role allows, or a token of `POST /api/tokens`, \
                     which needs one of the scopes named and a maker whose role allows it.",
                ))
                .build(),
        ),
    );
    components.add_security_scheme(
        "calendar_token",
        SecurityScheme::ApiKey(ApiKey::Query(ApiKeyValue::with_description(
            "token",
            "A token with the scope `calendar`, in the address.",
        ))),
    );
    for (name, schema) in &mut components.schemas {
        if !name.ends_with("Body") && !name.ends_with("Form") && !BY_KIND.contains(&name.as_str()) {
            require_all(schema);
        }
        for (_, field) in ASKED_FOR.iter().filter(|(of, _)| of == name) {
            if let RefOr::T(Schema::Object(object)) = schema {
                object.required.retain(|known| known != field);
            }
        }
    }
    let mut schemas = vec![(ProblemView::name().into_owned(), ProblemView::schema())];
    ProblemView::schemas(&mut schemas);
    components.schemas.extend(schemas);
    for (path, item) in &mut document.paths.paths {
        let (has_id, has_month) = (path.contains("id}") || path.contains("{file}"), path.contains("{month}"));
        let is_once = !WITHOUT_KEY.contains(&path.as_str());
        if let Some(operation) = item.post.as_mut().filter(|_| is_once) {
            describe_key(operation);
        }
        for (method, operation) in operations(item) {
            name(operation);
            let is_public = operation.security.is_some();
            if !is_public {
                describe_need(operation, &method, path);
            }
            if has_id {
                add_problem(operation, "404", "`ErrNotFound`");
            }
            if operation.request_body.is_some() {
                add_problem(operation, "400", "`ErrMalformedRequest`");
                add_problem(operation, "408", "`ErrRequestTimeout`: the body did not arrive in time");
                add_problem(operation, "413", "`ErrTooLarge`");
                add_problem(operation, "415", "`ErrUnsupportedMedia`");
            }
            if operation.request_body.is_some() || has_month || can_be_invalid(operation) {
                add_problem(operation, "422", "`ErrValidation`");
            }
            for (status, description) in [
                ("405", "`ErrMethodNotAllowed`, with `Allow`"),
                ("503", "`ErrUnavailable`, with `Retry-After`"),
                ("500", "`ErrInternal`"),
            ] {
                add_problem(operation, status, description);
            }
            describe_successes(operation);
            if RECORDED.iter().any(|(of, template, _)| method == *of && template == path) {
                describe_change(operation);
            }
            if method == Method::GET && (!is_public && entity_tags::is_tagged(path) || path == "/calendar.ics") {
                describe_tag(operation);
            }
        }
    }
}

/// Documents which credentials are sufficient, and how others are refused.
fn describe_need(operation: &mut Operation, method: &Method, path: &str) {
    let need = need(method, path);
    let scheme = if need == Need::Calendar { "calendar_token" } else { "bearer" };
    // Each of them is sufficient by itself.
    let by_scopes = need.scopes().iter().map(|scope| SecurityRequirement::new(scheme, [scope.as_str()]));
    let by_login = SecurityRequirement::new(scheme, [] as [&str; 0]);
    let every_scope_does = need == Need::Any;
    operation.security = match need.scopes() {
        [] => Some(vec![by_login]),
        _ if every_scope_does => Some(vec![by_login]),
        _ => Some(by_scopes.collect()),
    };
    let listed = |words: Vec<&str>| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let mut refusals = Vec::new();
    match need.scopes() {
        [] => refusals.push("`ErrInsufficientScope`: a login is needed, no token does".to_string()),
        _ if every_scope_does => {}
        scopes => {
            let words = listed(scopes.iter().map(|scope| scope.as_str()).collect());
            refusals.push(format!("`ErrInsufficientScope`: a token needs one of the scopes {words}"));
        }
    }
    if need.roles().len() < Role::ALL.len() {
        let words = listed(need.roles().iter().map(|role| role.as_str()).collect());
        refusals.push(format!("`ErrNotAllowed`: a login needs one of the roles {words}"));
    }
    add_problem(operation, "401", "`ErrUnauthenticated`, with `WWW-Authenticate: Bearer`");
    if !refusals.is_empty() {
        add_problem(operation, "403", &refusals.join("; "));
    }
}

/// The fields of answers that are absent unless they are requested, or if there is nothing to report.
const ASKED_FOR: [(&str, &str); 23] = [
    ("Imported", "transactions"),
    ("Detected", "transfers"),
    ("RuleAction", "category_id"),
    ("RuleAction", "tag"),
    ("RuleAction", "description"),
    ("RuleChange", "category_id"),
    ("RuleChange", "description"),
    ("RuleChange", "tags"),
    ("RuleChange", "is_transfer"),
    ("Token", "device_token"),
    ("Token", "device_expires_at"),
    ("PreviewRow", "tags"),
    ("PreviewRow", "transfer_with"),
    ("PreviewRow", "former"),
    ("FormerRow", "date"),
    ("TransferWith", "transaction_id"),
    ("TransferWith", "bill_id"),
    ("RejectedLine", "sheet"),
    ("RejectedLine", "date"),
    ("RejectedLine", "amount"),
    ("RejectedLine", "type"),
    ("RejectedLine", "description"),
    ("RejectedLine", "statement"),
];

/// The schemas of answers whose fields depend on a kind: each kind has some of them.
const BY_KIND: [&str; 2] = ["NoticeParams", "NoticeKindPreferences"];

/// Marks all fields of an answer as required: a field without a value is null. Only requests may omit fields.
fn require_all(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => object.required = object.properties.keys().cloned().collect(),
        RefOr::T(Schema::AllOf(parts)) => parts.items.iter_mut().for_each(require_all),
        _ => {}
    }
}

/// Handlers of different nouns have the same names, so an operation's id begins with the noun.
fn name(operation: &mut Operation) {
    let noun = operation.tags.iter().flatten().next().map(|tag| tag.replace(' ', "_"));
    if let (Some(noun), Some(verb)) = (noun, operation.operation_id.take()) {
        operation.operation_id = Some(format!("{noun}_{verb}"));
    }
}

/// Documents the header with the change that a request made.
fn describe_change(operation: &mut Operation) {
    let schema = ObjectBuilder::new().schema_type(SchemaType::Type(Type::Integer));
    let described = "The `id` of the change that the request made, which can be undone; absent if it changed nothing";
    let header = HeaderBuilder::new().schema(Some(schema)).description(Some(described)).build();
    for (status, response) in &mut operation.responses.responses {
        if let (RefOr::T(response), true) = (response, status.starts_with('2')) {
            response.headers.insert(CHANGE_HEADER.to_string(), header.clone().into());
        }
    }
}

/// Documents the idempotency key of a POST.
fn describe_key(operation: &mut Operation) {
    let schema = ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .min_length(Some(1))
        .max_length(Some(KEY_CHARS_MAX))
        .pattern(Some("^[!-~]+$"));
    let parameter = ParameterBuilder::new()
        .name(KEY_HEADER)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "Identifies the request, so that it can be retried safely: for 24 hours the same request under the same key \
             returns the first response and has no further effect. A refused request may be corrected and sent again.",
        ))
        .schema(Some(schema))
        .example(Some("0b6f3c1e-4f0a-4b1e-9d3a-8a2f7c5d6e01".into()));
    operation.parameters.get_or_insert_default().push(RefOr::T(parameter.build()));
    let replayed = HeaderBuilder::new()
        .schema(Some(ObjectBuilder::new().schema_type(SchemaType::Type(Type::String)).enum_values(Some(["true"]))))
        .description(Some("`true` if the response is that of an earlier request"));
    let replayed = replayed.build();
    for (status, response) in &mut operation.responses.responses {
        if let (RefOr::T(response), true) = (response, status.starts_with('2')) {
            response.headers.insert(REPLAYED_HEADER.to_string(), replayed.clone().into());
        }
    }
    let known = operation.responses.responses.get("422").and_then(|known| match known {
        RefOr::T(known) => Some(known.description.clone()),
        RefOr::Ref(_) => None,
    });
    let known = known.unwrap_or_else(|| "`ErrValidation`".to_string());
    operation
        .responses
        .responses
        .insert("422".to_string(), Response::new(format!("{known}, `ErrIdempotencyKeyReused`")).into());
}

/// Documents the tag of an answer, and the answer to a client that has sent it.
fn describe_tag(operation: &mut Operation) {
    let text = || ObjectBuilder::new().schema_type(SchemaType::Type(Type::String)).build();
    let parameter = ParameterBuilder::new()
        .name("If-None-Match")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some("The `ETag` of an earlier answer."))
        .schema(Some(text()));
    operation.parameters.get_or_insert_default().push(RefOr::T(parameter.build()));
    let tag = HeaderBuilder::new()
        .schema(Some(text()))
        .description(Some("Changes with every write of the profile, and with the day."));
    let tag = tag.build();
    let mut unchanged = Response::new("The answer with the tag of `If-None-Match` is unchanged");
    unchanged.headers.insert("ETag".to_string(), tag.clone().into());
    let responses = &mut operation.responses.responses;
    if let Some(RefOr::T(success)) = responses.get_mut("200") {
        success.headers.insert("ETag".to_string(), tag.into());
    }
    responses.insert("304".to_string(), unchanged.into());
}

/// An invalid id in a path is an unknown row; only parameters of the query and headers can be invalid.
fn can_be_invalid(operation: &Operation) -> bool {
    let mut parameters = operation.parameters.iter().flatten();
    parameters.any(|parameter| matches!(parameter, RefOr::T(known) if known.parameter_in != ParameterIn::Path))
}

/// A response must have a description. For a success its schema says enough.
fn describe_successes(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            let reason = StatusCode::from_bytes(status.as_bytes()).ok().and_then(|status| status.canonical_reason());
            response.description = reason.unwrap_or(status).to_string();
        }
    }
}

/// Gives every problem the same schema. The handler's description of a status is kept.
fn add_problem(operation: &mut Operation, status: &str, description: &str) {
    operation.responses.responses.entry(status.to_string()).or_insert_with(|| RefOr::T(Response::new(description)));
    for (status, response) in &mut operation.responses.responses {
        if let (RefOr::T(response), true) = (response, status.starts_with('4') || status.starts_with('5')) {
            let schema = RefOr::T(Content::new(Some(Ref::from_schema_name("Problem"))));
            response.content.entry(PROBLEM_JSON.to_string()).or_insert(schema);
        }
    }
}

/// The operations of a path with their methods.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let (get, post, put, delete) = (&mut item.get, &mut item.post, &mut item.put, &mut item.delete);
    [(Method::GET, get), (Method::POST, post), (Method::PUT, put), (Method::DELETE, delete)]
        .into_iter()
        .filter_map(|(method, operation)| operation.as_mut().map(|operation| (method, operation)))
}

/// The OpenAPI document of this API.
#[utoipa::path(tag = "document", security(()), responses((status = 200, description = "The document", body = Object)))]
#[get("/api/openapi.json")]
pub(crate) async fn serve_document() -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(Bytes::from_static(document().as_bytes()))
}
