//! Which requests are recorded, and the change that the current one made.
//!
//! The kind of a change follows from the route. A request of a route that is in neither list below is refused by a test. A GET is
//! recorded as the posting of yield, the only thing of the books that one may write.

use std::cell::RefCell;

use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{HeaderMap, HeaderName};
use actix_web::web::Query;
use finance_domain::changes::{ChangeKind, Recording};
use finance_domain::{Caller, ChangeId, Clock, Proof};
use serde::Deserialize;

/// The header with the id of the change that a request made, as the document spells it.
pub(crate) const CHANGE_HEADER: &str = "Finance-Change";
/// The same, as the server writes it.
pub(crate) const CHANGE: HeaderName = HeaderName::from_static("finance-change");

/// The routes whose writes are recorded.
pub(crate) const RECORDED: [(&str, &str, ChangeKind); 52] = [
    ("POST", "/api/transactions", ChangeKind::TransactionsCreate),
    ("PUT", "/api/transactions/{id}", ChangeKind::TransactionsUpdate),
    ("POST", "/api/transactions/update", ChangeKind::TransactionsUpdate),
    ("DELETE", "/api/transactions/{id}", ChangeKind::TransactionsDelete),
    ("POST", "/api/transactions/delete", ChangeKind::TransactionsDelete),
    ("DELETE", "/api/transactions", ChangeKind::TransactionsDelete),
    ("POST", "/api/transfers", ChangeKind::TransfersCreate),
    ("DELETE", "/api/transfers/{id}", ChangeKind::TransfersDelete),
    ("POST", "/api/transfers/link", ChangeKind::TransfersLink),
    ("POST", "/api/transfers/{id}/unlink", ChangeKind::TransfersUnlink),
    ("POST", "/api/transfers/reject", ChangeKind::TransfersReject),
    ("POST", "/api/transfers/detect", ChangeKind::TransfersDetect),
    ("POST", "/api/installments", ChangeKind::InstallmentsCreate),
    ("PUT", "/api/installments/{id}", ChangeKind::InstallmentsUpdate),
    ("DELETE", "/api/installments/{id}", ChangeKind::InstallmentsDelete),
    ("POST", "/api/import/confirm", ChangeKind::ImportsConfirm),
    ("DELETE", "/api/imports/{id}", ChangeKind::ImportsUndo),
    ("POST", "/api/pending-bills/{id}/confirm", ChangeKind::PendingBillsConfirm),
    ("DELETE", "/api/pending-bills/{id}", ChangeKind::PendingBillsDiscard),
    ("POST", "/api/categories", ChangeKind::CategoriesCreate),
    ("PUT", "/api/categories/{id}", ChangeKind::CategoriesUpdate),
    ("DELETE", "/api/categories/{id}", ChangeKind::CategoriesDelete),
    ("PUT", "/api/budgets/{month}", ChangeKind::CategoriesUpdate),
    ("POST", "/api/budgets/{month}/fill", ChangeKind::CategoriesUpdate),
    ("POST", "/api/accounts", ChangeKind::AccountsCreate),
    ("PUT", "/api/accounts/{id}", ChangeKind::AccountsUpdate),
    ("DELETE", "/api/accounts/{id}", ChangeKind::AccountsDelete),
    ("DELETE", "/api/accounts/{id}/keys", ChangeKind::AccountsUpdate),
    ("PUT", "/api/accounts/{id}/anchors/{date}", ChangeKind::AnchorsSet),
    ("DELETE", "/api/accounts/{id}/anchors/{date}", ChangeKind::AnchorsDelete),
    ("POST", "/api/accounts/{id}/anchors/{date}/adjust", ChangeKind::AnchorsSet),
    ("POST", "/api/recurring", ChangeKind::RecurringCreate),
    ("PUT", "/api/recurring/{id}", ChangeKind::RecurringUpdate),
    ("DELETE", "/api/recurring/{id}", ChangeKind::RecurringDelete),
    ("POST", "/api/recurring/{id}/confirm", ChangeKind::RecurringConfirm),
    ("POST", "/api/recurring/{id}/late", ChangeKind::RecurringLate),
    ("POST", "/api/recurring/{id}/unlate", ChangeKind::RecurringUnlate),
    ("POST", "/api/recurring/{id}/ignore", ChangeKind::RecurringIgnore),
    ("POST", "/api/recurring/{id}/unignore", ChangeKind::RecurringUnignore),
    ("POST", "/api/recurring/{id}/link", ChangeKind::RecurringLink),
    ("POST", "/api/recurring/{id}/unlink", ChangeKind::RecurringUnlink),
    ("POST", "/api/recurring/suggestions/{id}/accept", ChangeKind::RecurringAccept),
    ("POST", "/api/recurring/suggestions/{id}/reject", ChangeKind::RecurringReject),
    ("POST", "/api/rules", ChangeKind::RulesCreate),
    ("PUT", "/api/rules/{id}", ChangeKind::RulesUpdate),
    ("DELETE", "/api/rules/{id}", ChangeKind::RulesDelete),
    ("POST", "/api/rules/apply", ChangeKind::RulesApply),
    ("PUT", "/api/credit-bills/{id}", ChangeKind::CreditBillsSetDates),
    ("POST", "/api/credit-bills/{id}/pay", ChangeKind::CreditBillsPay),
    ("POST", "/api/credit-bills/{id}/unpay", ChangeKind::CreditBillsUnpay),
    ("PUT", "/api/settings", ChangeKind::SettingsUpdate),
    ("POST", "/api/changes/{id}/undo", ChangeKind::ChangesUndo),
];

/// The first segments of the routes that write nothing of the books.
#[cfg(test)]
pub(crate) const UNRECORDED: [&str; 16] = [
    "/api/auth/",
    "/api/logout",
    "/api/members",
    "/api/tokens",
    "/api/webhooks",
    "/api/gamification/",
    "/api/restore",
    "/api/import/preview",
    "/api/inbox",
    "/api/rules/test",
    "/api/recurring/parse",
    "/api/entries/parse",
    "/api/notices",
    "/api/credit-bills/changed",
    "/mcp",
    "/calendar.ics",
];

/// The request of the current task, as far as its change is concerned.
struct Current {
    kind: ChangeKind,
    addressed: Option<i64>,
    subject: Option<String>,
    made: RefCell<Option<ChangeId>>,
}

tokio::task_local! {
    static CURRENT: Current;
}

/// The id in a path of that template, if the path is one.
fn matched(template: &str, path: &str) -> Option<Option<i64>> {
    let (mut expected, mut given) = (template.split('/'), path.split('/'));
    let mut id = None;
    loop {
        match (expected.next(), given.next()) {
            (None, None) => return Some(id),
            // The id of a suggestion is a text, and of no row.
            (Some("{id}"), Some(_)) if template.starts_with("/api/recurring/suggestions/") => {}
            // The router leaves a plus sign encoded, with which the handler still reads an id.
            (Some("{id}"), Some(text)) => {
                let sign = ["%2B", "%2b"].iter().find_map(|plus| text.strip_prefix(plus));
                id = Some(sign.unwrap_or(text).parse().ok()?);
            }
            (Some(part), Some(_)) if part.starts_with('{') => {}
            (Some(part), Some(text)) if part == text => {}
            _ => return None,
        }
    }
}

/// Runs the handler of a request, and returns also the change that it made.
pub(crate) async fn scope<F: Future>(request: Recorded, task: F) -> (F::Output, Option<ChangeId>) {
    let Some(current) = request.0 else { return (task.await, None) };
    let handled = async move {
        let response = task.await;
        (response, CURRENT.with(|current| *current.made.borrow()))
    };
    CURRENT.scope(current, handled).await
}

/// The query of a deletion of a whole month.
#[derive(Deserialize)]
struct OfMonth {
    month: Option<String>,
}

/// Whether and how a request is recorded.
pub(crate) struct Recorded(Option<Current>);

impl Recorded {
    /// By its route.
    pub(crate) fn of(request: &ServiceRequest) -> Self {
        let path = request.match_info().as_str();
        let method = request.method();
        if method == Method::GET {
            let current =
                Current { kind: ChangeKind::YieldsPost, addressed: None, subject: None, made: RefCell::default() };
            return Recorded(path.starts_with("/api/").then_some(current));
        }
        let found = RECORDED.iter().filter(|(of, ..)| method == *of);
        let mut found = found.filter_map(|(_, template, kind)| Some((*kind, matched(template, path)?)));
        let Some((kind, id)) = found.next() else { return Recorded(None) };
        // The id of a transfer or a suggestion is not that of a row.
        let names_row = !matches!(
            kind,
            ChangeKind::TransfersDelete
                | ChangeKind::TransfersUnlink
                | ChangeKind::RecurringAccept
                | ChangeKind::RecurringReject
        );
        let month = path.strip_prefix("/api/budgets/").and_then(|rest| rest.split('/').next());
        let subject = match kind {
            ChangeKind::TransactionsDelete if method == Method::DELETE && id.is_none() => {
                Query::<OfMonth>::from_query(request.query_string()).ok().and_then(|query| query.into_inner().month)
            }
            ChangeKind::CategoriesUpdate => month.map(str::to_string),
            _ => None,
        };
        Recorded(Some(Current { kind, addressed: id.filter(|_| names_row), subject, made: RefCell::default() }))
    }
}

/// How what the current request writes is recorded.
pub(crate) fn recording(clock: &dyn Clock, caller: &Caller) -> Option<Recording> {
    let token = match caller.proof {
        Proof::Token { hash, .. } => Some(hash),
        _ => None,
    };
    let of_current = |current: &Current| Recording {
        addressed: current.addressed,
        subject: current.subject.clone(),
        token,
        ..Recording::of(current.kind, clock)
    };
    CURRENT.try_with(of_current).ok()
}

/// Tells the change that the current request made.
pub(crate) fn tell(id: ChangeId) {
    let _ = CURRENT.try_with(|current| *current.made.borrow_mut() = Some(id));
}

/// Adds the change that a request made to the headers of its answer.
pub(crate) fn add(headers: &mut HeaderMap, change: Option<ChangeId>) {
    if let Some(ChangeId(id)) = change {
        headers.insert(CHANGE, id.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::DOCUMENT;

    #[test]
    fn every_route_that_writes_is_recorded_or_left_out() {
        for (path, item) in &DOCUMENT.paths.paths {
            let methods = [("POST", &item.post), ("PUT", &item.put), ("DELETE", &item.delete), ("PATCH", &item.patch)];
            for (method, _) in methods.iter().filter(|(_, operation)| operation.is_some()) {
                let is_recorded = RECORDED.iter().any(|(of, template, _)| of == method && template == path);
                let is_left_out = UNRECORDED.iter().any(|prefix| path.starts_with(prefix));
                assert!(is_recorded != is_left_out, "{method} {path}");
            }
        }
        for (_, template, _) in RECORDED {
            assert!(DOCUMENT.paths.paths.contains_key(template), "{template} is not served");
        }
    }

    #[test]
    fn a_path_is_matched_by_its_template() {
        assert_eq!(matched("/api/rules/{id}", "/api/rules/7"), Some(Some(7)));
        assert_eq!(matched("/api/rules/{id}", "/api/rules/%2b7"), Some(Some(7)));
        assert_eq!(matched("/api/rules/{id}", "/api/rules/apply"), None);
        let reject = "/api/recurring/suggestions/{id}/reject";
        assert_eq!(matched(reject, "/api/recurring/suggestions/d9bd1d3bdeefba3b/reject"), Some(None));
        assert_eq!(matched("/api/budgets/{month}", "/api/budgets/2026-03"), Some(None));
        assert_eq!(matched("/api/rules", "/api/rules/7"), None);
    }
}
